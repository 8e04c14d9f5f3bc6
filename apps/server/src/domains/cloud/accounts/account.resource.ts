import { cloudAccount as definition } from '@sallyport/contract/resources/cloud/cloud-account.ts'
import { inArray, sql } from 'drizzle-orm'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { checkReachable } from '../providers/reachable.ts'
import { cloudAccount, cloudSyncTask } from '../tables.ts'

type Writing = WriteContext<typeof definition, typeof cloudAccount>

/** The accounts of Sallyport at clouds (docs/rules/xpack.md#cloud_account). */
export default function mountAccounts(kernel: Kernel): void {
  mountResource(kernel, definition, {
    table: cloudAccount,
    computed: [{ fields: ['validity_display'], load: validityInWords }],
    rules: {
      beforeWrite: [keepProvider, checkAddress, askSecretsAgain, forgetValidity],
      beforeDelete: [refuseInUse],
    },
  })
}

const validityInWords = async (rows: readonly StoredRow<typeof cloudAccount>[], { call }: ReadContext) =>
  rows.map(({ validity }) => ({
    validity_display: translate(call.language, validity ? 'Valid' : 'Not tested or refused'),
  }))

/** The provider decides the shape, and what tasks found there would mean other machines. */
function keepProvider({ draft, row, query }: Writing): void {
  if (row && draft.provider !== undefined && draft.provider !== row.provider)
    throw invalid({ provider: 'The cloud of an account cannot be changed: add another account' })
  // Pages that say the provider in the address say it in the body as well: two that differ are a mistake.
  if (!row && query.provider && query.provider !== draft.provider)
    throw invalid({ provider: 'The address says another cloud' })
}

/** Fields that say where a private cloud is. */
const URLS = ['api_endpoint', 'auth_url']
const PLACES = [...URLS, 'host', 'port']

/**
 * For a private cloud: the address of a server, which is neither this one nor one that discloses
 * its host's secrets.
 */
function checkAddress({ draft }: Writing): void {
  const attrs: Readonly<Record<string, unknown>> = draft.attrs ?? {}
  for (const name of [...URLS, 'host']) {
    const text = attrs[name]
    if (typeof text !== 'string') continue
    const url = URL.parse(name === 'host' ? `https://${text}` : text)
    const isPlain =
      url &&
      /^https?:$/.test(url.protocol) &&
      !url.username &&
      !url.password &&
      !url.search &&
      !url.hash &&
      (name !== 'host' || url.host === text.toLowerCase())
    if (!isPlain)
      throw invalid({
        [`attrs.${name}`]:
          name === 'host'
            ? 'Write a name or an address, without port and path'
            : 'Write an address such as https://cloud.example.com',
      })
    try {
      checkReachable(url.hostname)
    } catch (cause) {
      throw invalid({ [`attrs.${name}`]: 'No cloud can be at this address' }, cause)
    }
  }
}

/**
 * Secrets are for the place that they were entered for: a person who changes it enters them again.
 * Otherwise everybody who may change it could have them sent to a server of their own.
 */
function askSecretsAgain({ draft, row }: Writing): void {
  const sent = draft.attrs as Readonly<Record<string, unknown>> | undefined
  if (!row || !sent) return
  const isMoved = PLACES.some((name) => Object.hasOwn(sent, name) && sent[name] !== row.attrs[name])
  const missing = Object.keys(row.attrs).filter((name) => isSealed(row.attrs[name]) && !Object.hasOwn(sent, name))
  if (isMoved && missing.length)
    throw invalid(
      Object.fromEntries(
        missing.map((name) => [`attrs.${name}`, 'The cloud is elsewhere now: enter its secrets again']),
      ),
    )
}

const isSealed = (value: unknown) => typeof value === 'object' && value !== null && '$sealed' in value

/** Findings about other keys say nothing about these. */
function forgetValidity({ draft, row }: Writing): void {
  if (row && draft.attrs) (draft as { validity?: boolean }).validity = false
}

async function refuseInUse({ rows, db }: DeleteContext<typeof cloudAccount>): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const [task] = await db
    .select({ one: sql`1` })
    .from(cloudSyncTask)
    .where(inArray(cloudSyncTask.account, ids))
    .limit(1)
  if (task) throw refused('in_use', 'Tasks sync by this account: delete them first')
}
