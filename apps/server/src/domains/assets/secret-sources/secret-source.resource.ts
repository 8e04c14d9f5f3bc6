import { X509Certificate } from 'node:crypto'
import { secretSource } from '@sallyport/contract/resources/assets/secret-source.ts'
import { eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import { invalid, refused } from '../../../kernel/errors/app-error.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { DeleteContext, ReadContext, StoredRow, WriteContext } from '../../../kernel/resource/mount.ts'
import { mountResource } from '../../../kernel/resource/routes.ts'
import { rowInOrg } from '../../../kernel/resource/row-in-org.ts'
import { assetsSecretSource } from '../tables.ts'
import { readFrom, trySource } from './fetch-secret.ts'
import { addressFault, isPathBelow } from './secret-path.ts'

type Writing = WriteContext<typeof secretSource, typeof assetsSecretSource>

const trial = z.object({ path: z.string().max(512).optional(), field: z.string().max(128).optional() })

/** Stores of secrets outside, and a test of one (docs/secret-sources.md). */
export default function mountSecretSource(kernel: Kernel): void {
  mountResource(kernel, secretSource, {
    table: assetsSecretSource,
    sealed: ['token', 'secret_id'],
    computed: [{ fields: ['accounts_amount'], load: countAccounts }],
    rules: { beforeWrite: [checkAddress, checkSignIn], beforeDelete: [keepUsed] },
  })
  kernel.app.route({
    method: 'POST',
    url: `${secretSource.path}:id/test/`,
    config: {
      access: ['org_admin'],
      summary: 'Sign in to a secret source, and look for a secret of it without showing it',
      answers: 'nothing',
      takes: trial,
    },
    handler: async (request, reply) => {
      const { path, field } = trial.parse(request.body ?? {})
      const source = await rowInOrg(kernel.db, request.call, assetsSecretSource, (request.params as { id: string }).id)
      const open = kernel.secrets.open('test', `secret source ${source.id}`)
      if (!path && source.kind === 'http')
        throw invalid({ path: 'Name a secret that is there: this kind has no other test' })
      if (path && !isPathBelow(path))
        throw invalid({ path: 'A path has names between single slashes, and nothing upward' })
      if (path && !field) throw invalid({ field: 'This field is required.' })
      if (path && field) await readFrom(kernel, source, { path, field }, open)
      else await trySource(kernel, source, open)
      return reply.status(204).send()
    },
  })
}

function checkAddress({ draft }: Writing): void {
  const fault = draft.address === undefined ? undefined : addressFault(draft.address)
  if (fault) throw invalid({ address: fault })
  if (draft.engine && !isPathBelow(draft.engine))
    throw invalid({ engine: 'A path has names between single slashes, and nothing upward' })
  if (draft.namespace && !isPathBelow(draft.namespace.replace(/\/$/, '')))
    throw invalid({ namespace: 'A path has names between single slashes, and nothing upward' })
  if (draft.ca_certificate && !isCertificate(draft.ca_certificate))
    throw invalid({ ca_certificate: 'This is no certificate in PEM' })
}

function isCertificate(text: string): boolean {
  try {
    return Boolean(new X509Certificate(text))
  } catch {
    return false
  }
}

/**
 * What signs in is for the address that it was entered for: a person who moves the source enters it
 * again. The trigger `assets_secret_source_drop_secrets` drops what was not.
 */
async function checkSignIn({ db, draft, row }: Writing): Promise<void> {
  const kind = draft.kind ?? row?.kind ?? 'vault'
  const way = draft.authentication ?? row?.authentication ?? 'token'
  if (kind === 'http' && way !== 'token') throw invalid({ authentication: 'This kind of source has tokens alone' })
  const [stored] = row
    ? await db
        .select({
          token: sql<boolean>`${assetsSecretSource.token_sealed} IS NOT NULL`,
          secret_id: sql<boolean>`${assetsSecretSource.secret_id_sealed} IS NOT NULL`,
        })
        .from(assetsSecretSource)
        .where(eq(assetsSecretSource.id, row.id))
    : []
  const isMoved = row && (['address', 'kind'] as const).some((name) => name in draft && draft[name] !== row[name])
  const name = way === 'token' ? 'token' : 'secret_id'
  if (draft[name] && /[^\x21-\x7e]/.test(draft[name])) throw invalid({ [name]: 'Special characters are not allowed' })
  if (!draft[name] && isMoved && stored?.[name]) throw invalid({ [name]: 'The source was moved: enter this again' })
  // An HTTP API inside of a network may let everybody read who comes from there.
  if (!draft[name] && !stored?.[name] && kind === 'vault') throw invalid({ [name]: 'This field is required.' })
  if (way === 'approle' && !(draft.role_id ?? row?.role_id)) throw invalid({ role_id: 'This field is required.' })
}

async function countAccounts(
  rows: readonly StoredRow<typeof assetsSecretSource>[],
  { db }: ReadContext,
): Promise<Record<string, unknown>[]> {
  const ids = rows.map(({ id }) => id)
  const { rows: counts } = await db.execute<{ id: string; count: number }>(sql`
    SELECT id, count(*)::int AS count FROM assets_secret_source_use WHERE id = ANY(${sql.param(ids)}::uuid[]) GROUP BY id`)
  const byId = new Map(counts.map(({ id, count }) => [id, count]))
  return rows.map(({ id }) => ({ accounts_amount: byId.get(id) ?? 0 }))
}

/** Accounts without their source could not connect, and nobody would have said so. */
async function keepUsed({ db, rows }: DeleteContext<typeof assetsSecretSource>): Promise<void> {
  const ids = rows.map(({ id }) => id)
  const { rows: used } = await db.execute(sql`
    SELECT 1 FROM assets_secret_source_use WHERE id = ANY(${sql.param(ids)}::uuid[]) LIMIT 1`)
  if (used.length) throw refused('protected', 'Accounts take their secret from it: give them another first')
}
