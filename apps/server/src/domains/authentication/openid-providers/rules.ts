import type { openidProvider as definition } from '@sallyport/contract/resources/authentication/openid-provider.ts'
import { and, count, eq, isNotNull } from 'drizzle-orm'
import type { Database } from '../../../kernel/database/database.ts'
import { AppError, invalid } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { WriteContext } from '../../../kernel/resource/mount.ts'
import { type SettingsStore, settingFaults } from '../../settings/index.ts'
import { asSettings, FIELDS } from '../single-sign-on/openid/sources.ts'
import { authenticationOpenidProvider as table } from '../single-sign-on/openid/tables.ts'

type Writing = WriteContext<typeof definition, typeof table>

/** Each has a button on the sign-in page. */
const MAX_PROVIDERS = 20

export async function refuseTooMany({ db, row }: Writing): Promise<void> {
  if (row) return
  const [found] = await db.select({ amount: count() }).from(table)
  if ((found?.amount ?? 0) >= MAX_PROVIDERS)
    throw new AppError(400, 'too_many', 'There are {{max}} OpenID providers at most', {
      values: { max: MAX_PROVIDERS },
    })
}

/** Throws 400 by field for what the settings of the first provider would be refused for as well. */
export async function checkProvider(settings: SettingsStore, { call, db, draft, row }: Writing): Promise<void> {
  const say = (text: string) => translate(call.language, text)
  const after = { ...row, ...draft }
  const values = asSettings(after)
  const found = Object.entries(settingFaults(values, { ...settings.all(), ...values }, call.language))
  const faults: Record<string, unknown> = Object.fromEntries(
    found.map(([name, texts]) => [FIELDS[name as keyof typeof FIELDS], texts]),
  )
  const { user_attr_map: map = {}, signature_alg: algorithm = '' } = after
  if (!Object.values(map).every((claim) => typeof claim === 'string' && claim !== ''))
    faults.user_attr_map = say('Each attribute takes the name of a claim')
  if (!draft.client_secret) {
    const isStored = row !== undefined && (await hasSecret(db, row.id))
    if (isStored && leadsElsewhere(draft, row))
      faults.client_secret = say('Enter it again: the saved one is only sent to the saved address')
    // With an empty one anybody could sign.
    else if (!isStored && algorithm.startsWith('HS'))
      faults.client_secret = say('Tokens are signed with the client secret: enter it')
  }
  if (Object.keys(faults).length) throw invalid(faults as Parameters<typeof invalid>[0])
}

async function hasSecret(db: Database, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), isNotNull(table.client_secret_sealed)))
  return rows.length > 0
}

/** What says where the secret goes, and how well the way there is protected. */
type Recipient = Pick<typeof table.$inferSelect, 'issuer' | 'token_endpoint' | 'client_id' | 'ignore_ssl_verification'>

/**
 * Whether the stored secret would go to another address or for another client than it was entered for,
 * or less protected.
 */
function leadsElsewhere(changes: Partial<Recipient>, before: Recipient): boolean {
  const { issuer, token_endpoint, client_id, ignore_ssl_verification } = { ...before, ...changes }
  return (
    issuer !== before.issuer ||
    token_endpoint !== before.token_endpoint ||
    client_id !== before.client_id ||
    (ignore_ssl_verification && !before.ignore_ssl_verification)
  )
}
