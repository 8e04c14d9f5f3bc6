import { MAX_LIVE_AUTHORITIES, sshAuthority } from '@sallyport/contract/resources/assets/ssh-authority.ts'
import { and, inArray, isNull, sql } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import { lockUntilCommit } from '../../../kernel/database/locks.ts'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadContext, StoredRow, WriteContext, WrittenContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { sha256Of } from '../../../kernel/ssh/keys/plain-key.ts'
import { assetsSshAuthority, assetsSshTrust } from '../tables.ts'
import { newAuthority } from './new-authority.ts'

type Stored = StoredRow<typeof assetsSshAuthority>
type Writing = WriteContext<typeof sshAuthority, typeof assetsSshAuthority>
type Written = WrittenContext<typeof sshAuthority, typeof assetsSshAuthority>

/** Authorities of SSH certificates: a new row takes the place of the current one, which is still trusted. */
export default function mountAuthorities(kernel: Kernel): void {
  mountResource(kernel, sshAuthority, {
    table: assetsSshAuthority,
    computed: [{ fields: ['state', 'fingerprint', 'assets_amount'], load: describe }],
    rules: { beforeWrite: [takePlace, checkAddresses], afterWrite: [makeKey] },
  })
}

/** The next version of the organization, from the same addresses as the one before where none are named. */
async function takePlace({ db, draft, mode, call, body }: Writing): Promise<void> {
  if (mode !== 'create') return
  const { version, live, addresses } = await newest(db, draft.org_id ?? call.org.id)
  if (live >= MAX_LIVE_AUTHORITIES)
    throw refused('too_many_authorities', 'Retire an earlier version first: machines would have to trust too many')
  draft.version = version + 1
  if (!('source_addresses' in body)) draft.source_addresses = addresses
}

/** Holds back others that make one until this transaction ends. */
async function newest(db: ReadContext['db'], orgId: string) {
  await lockUntilCommit(db, `assets_ssh_authority ${orgId}`)
  const { rows } = await db.execute<{ version: number; live: number; addresses: string[] }>(sql`
    SELECT coalesce(max(version), 0) AS version, (count(*) FILTER (WHERE date_retired IS NULL))::int AS live,
      coalesce((array_agg(to_jsonb(source_addresses) ORDER BY version DESC))[1], '[]') AS addresses
    FROM ${assetsSshAuthority} WHERE org_id = ${orgId}`)
  return rows[0] ?? { version: 0, live: 0, addresses: [] }
}

/** In the only form that sshd takes: a certificate with another one is refused by it altogether. */
function checkAddresses({ draft }: Writing): void {
  const { source_addresses } = draft
  if (!source_addresses) return
  draft.source_addresses = [...new Set(source_addresses.map((written) => networkOf(written.trim())))]
}

function networkOf(written: string): string {
  const wrong = () => invalid({ source_addresses: 'Enter addresses or networks such as 10.0.0.5 or 10.0.0.0/24' })
  try {
    if (!written.includes('/')) {
      const address = ipaddr.process(written)
      if (address.kind() === 'ipv4' && written.split('.').length !== 4 && !written.includes(':')) throw wrong()
      return address.toString()
    }
    const [address, length] = ipaddr.parseCIDR(written)
    if (address.kind() === 'ipv4' && written.split('.').length !== 4) throw wrong()
    const network =
      address.kind() === 'ipv4'
        ? ipaddr.IPv4.networkAddressFromCIDR(written)
        : ipaddr.IPv6.networkAddressFromCIDR(written)
    return `${network.toString()}/${length}`
  } catch (cause) {
    throw cause instanceof Error && 'status' in cause ? cause : wrong()
  }
}

async function makeKey({ kernel, db, mode, stored }: Written): Promise<void> {
  if (mode !== 'create') return
  Object.assign(stored, await newAuthority(kernel, db, stored.id))
}

async function describe(rows: readonly Stored[], { db }: ReadContext) {
  const ids = rows.map(({ id }) => id)
  const [counts, current] = await Promise.all([
    db
      .select({ authority: assetsSshTrust.authority, amount: sql<number>`count(*)::int` })
      .from(assetsSshTrust)
      .where(inArray(assetsSshTrust.authority, ids))
      .groupBy(assetsSshTrust.authority),
    db
      .select({ orgId: assetsSshAuthority.org_id, version: sql<number>`max(${assetsSshAuthority.version})` })
      .from(assetsSshAuthority)
      .where(
        and(
          inArray(
            assetsSshAuthority.org_id,
            rows.map(({ org_id }) => org_id),
          ),
          isNull(assetsSshAuthority.date_retired),
        ),
      )
      .groupBy(assetsSshAuthority.org_id),
  ])
  const amounts = new Map(counts.map(({ authority, amount }) => [authority, amount]))
  const versions = new Map(current.map(({ orgId, version }) => [orgId, version]))
  return rows.map(({ id, org_id, version, date_retired, public_key }) => ({
    state: date_retired
      ? ('retired' as const)
      : versions.get(org_id) === version
        ? ('current' as const)
        : ('retiring' as const),
    fingerprint: public_key ? sha256Of(Buffer.from(public_key.split(' ')[1] ?? '', 'base64')) : '',
    assets_amount: amounts.get(id) ?? 0,
  }))
}
