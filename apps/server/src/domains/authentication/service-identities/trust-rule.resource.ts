import { X509Certificate } from 'node:crypto'
import { trustRule as definition } from '@sallyport/contract/resources/authentication/trust-rule.ts'
import { workloadToken } from '@sallyport/contract/resources/authentication/workload-token.ts'
import { eq, gt, sql } from 'drizzle-orm'
import { refuseLimited } from '../../../kernel/access/limited-key.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { publishIn } from '../../../kernel/events/events.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { guardPerson, USER_CHANGED } from '../../users/index.ts'
import { authenticationTrustRule, authenticationWorkloadToken } from './tables.ts'
import { readKeySet } from './workload/issuer-keys.ts'

type Writing = WriteContext<typeof definition, typeof authenticationTrustRule>
type Written = WrittenContext<typeof definition, typeof authenticationTrustRule>
type Deleting = DeleteContext<typeof authenticationTrustRule> | DeleteContext<typeof authenticationWorkloadToken>

/** Rules of one identity: each is held against each token. */
const MAX_RULES = 20

/** Rules about the workload tokens that service identities take, and the tokens that were given for these. */
export default function mountTrustRules(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: authenticationTrustRule,
    rules: {
      beforeWrite: [
        ({ call }) => refuseLimited(call),
        keepIdentity,
        ({ call, db, draft, row }) => guardPerson(db, call, row?.identity ?? draft.identity ?? ''),
        refuseTooMany,
        checkRule,
      ],
      afterWrite: [endTokens],
      beforeDelete: [guardPeople],
      afterDelete: [tell],
    },
  })
  mountResource(kernel, workloadToken, {
    table: authenticationWorkloadToken,
    scope: () => gt(authenticationWorkloadToken.date_expired, sql`now()`),
    rules: { beforeDelete: [guardPeople], afterDelete: [tell] },
  })
}

function keepIdentity({ draft, row }: Writing): void {
  if (row && draft.identity && draft.identity !== row.identity)
    throw invalid({ identity: 'A trust rule belongs to the service identity that it was made for' })
}

async function refuseTooMany({ db, draft, row }: Writing): Promise<void> {
  if (row) return
  const identity = draft.identity ?? ''
  await lockUntilCommit(db, `trust rules of ${identity}`)
  if ((await db.$count(authenticationTrustRule, eq(authenticationTrustRule.identity, identity))) >= MAX_RULES)
    throw new AppError(400, 'too_many', 'A service identity has {{max}} trust rules at most', {
      values: { max: MAX_RULES },
    })
}

/** Throws 400 by field for a rule that could not be asked, or would take the tokens of anybody. */
function checkRule({ call, draft }: Writing): void {
  const faults: Record<string, string> = {}
  const { issuer, keys, ca_certificate, claims } = draft
  if (issuer !== undefined && !isIssuer(issuer)) faults.issuer = 'An issuer is an address with https, without ? and #'
  if (keys && !isReadable(() => readKeySet(keys))) faults.keys = 'This is no JWK set of public keys'
  if (ca_certificate && !isReadable(() => new X509Certificate(ca_certificate)))
    faults.ca_certificate = 'This is no certificate in PEM'
  // A provider signs tokens of everybody who has an account there.
  const isOpen = (claims as { value: string }[] | undefined)?.every(({ value }) => /^[*/:]*$/.test(value))
  if (isOpen) faults.claims = 'At least one claim must have a value: this would take the tokens of everybody there'
  if (Object.keys(faults).length)
    throw invalid(
      Object.fromEntries(Object.entries(faults).map(([name, text]) => [name, translate(call.language, text)])),
    )
}

function isIssuer(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && !url.search && !url.hash && !url.username && !/[?#@\s]/.test(text)
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/** Tokens that a rule gave end when it says something else. */
async function endTokens({ db, row, stored }: Written): Promise<void> {
  if (!row) return
  await db.delete(authenticationWorkloadToken).where(eq(authenticationWorkloadToken.rule, stored.id))
  await notify(db, stored.identity)
}

async function guardPeople({ call, db, rows }: Deleting): Promise<void> {
  for (const { identity } of rows) await guardPerson(db, call, identity)
}

/** Connections that were opened with a token check at once whether it is still valid. */
const notify = (db: Database, user_id: string) => publishIn(db, USER_CHANGED, { user_id })

async function tell({ db, rows }: Deleting): Promise<void> {
  for (const { identity } of rows) await notify(db, identity)
}
