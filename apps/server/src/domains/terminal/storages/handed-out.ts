import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { ELASTICSEARCH_META } from '@sallyport/contract/resources/terminal/command-storage.ts'
import { eq } from 'drizzle-orm'
import type { Call } from '../../../kernel/access/call.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { placeOf } from '../commands/elastic/command-indices.ts'
import { openMeta } from '../open-meta.ts'
import { isOutside, metaFields } from '../recording/storages/outside-stores.ts'
import { terminalCommandStorage, terminalReplayStorage } from '../tables.ts'

/**
 * A replay storage as components get it, with its keys in clear, which leaves a row: flat, with its
 * TYPE. Ceph has the type of S3, and Swift has its signature; an unknown name means the server's
 * (docs/rules/terminal.md#terminal_config).
 */
export async function handOutReplayStorage(
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  call: Call,
  name: string,
): Promise<Record<string, unknown>> {
  const [row] = await db.select().from(terminalReplayStorage).where(eq(terminalReplayStorage.name, name))
  if (!row || !isOutside(row)) return { TYPE: row?.type ?? 'server' }
  const owner = { kind: 'replay_storage', id: row.id, name, orgId: ROOT_ORG_ID } as const
  const open = await secrets.handOut(db, call, 'component', 'settings of the component', [owner])
  return {
    TYPE: row.type === 'ceph' ? 's3' : row.type,
    ...openMeta(metaFields(row), row.meta, open),
    ...(row.type === 'swift' ? { signer: 'S3SignerType' } : {}),
  }
}

/**
 * A command storage as components get it: each address contains the name and password, as
 * components have them there. Where the name is nobody's any more, commands come to the server.
 */
export async function handOutCommandStorage(
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  call: Call,
  name: string,
): Promise<Record<string, unknown>> {
  const [row] = await db.select().from(terminalCommandStorage).where(eq(terminalCommandStorage.name, name))
  if (!row) return { default: { TYPE: 'server' } }
  if (row.type !== 'es') return { TYPE: row.type }
  const owner = { kind: 'command_storage', id: row.id, name, orgId: ROOT_ORG_ID } as const
  const open = await secrets.handOut(db, call, 'component', 'settings of the component', [owner])
  const { hosts, index, username, password, ignoreCertificate } = placeOf(openMeta(ELASTICSEARCH_META, row.meta, open))
  return {
    TYPE: row.type,
    HOSTS: hosts.map((host) => (username ? withLogin(host, username, password) : host)),
    INDEX: index,
    DOC_TYPE: row.meta.DOC_TYPE ?? '_doc',
    OTHER: { IGNORE_VERIFY_CERTS: ignoreCertificate },
  }
}

function withLogin(host: string, username: string, password = ''): string {
  const [scheme, rest] = host.split('://')
  return `${scheme}://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${rest}`
}
