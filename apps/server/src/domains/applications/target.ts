import {
  type ApplicationCategory,
  type ApplicationType,
  applicationType,
} from '@sallyport/contract/resources/applications/application-types.ts'
import { eq } from 'drizzle-orm'
import { bareHost } from '../../kernel/bare-host.ts'
import type { Opener } from '../../kernel/secrets/vault.ts'
import type { FetchingKernel } from '../assets/secret-sources/index.ts'
import { chosenAccount, type Login, loadLogin } from '../system-users/index.ts'
import { applicationCandidate } from './changing-account.ts'
import { type RemoteAppStart, remoteAppStart } from './connection-info.ts'
import { type RemoteProgram, remoteProgramOf } from './remote-program.ts'
import { applicationsAccount, applicationsApplication } from './tables.ts'

export interface ApplicationTarget extends Login {
  application: {
    id: string
    org_id: string
    name: string
    category: ApplicationCategory
    type: ApplicationType
    domain: string | null
    /** By its type, without passwords. */
    attrs: Record<string, unknown>
  }
  /** Host name or IP, and port; of a remote app empty and 0, since its machine is an asset. */
  host: string
  port: number
  /** For remote apps: how it is started, with its own password in clear. */
  remoteApp?: RemoteAppStart
  /** For remote apps whose machine is there: their program. */
  remoteProgram?: RemoteProgram | undefined
}

export interface ApplicationTargetQuestion {
  applicationId: string
  systemUserId: string
  /** The person whose session it is: dynamic user names and typed logins are theirs. */
  userId?: string | undefined
  /** The person's own user name, for system users that take it. */
  username?: string | undefined
}

/**
 * Everything that a connection to an application needs, with secrets opened in memory by the
 * caller's opener. Does not check whether the person may connect. A login typed for this target is
 * used up. Undefined when application or system user is gone, or they belong to different
 * organizations. Throws 400 when the application was moved and nobody has confirmed where it is now
 * (destination.ts).
 */
export async function loadApplicationTarget(
  kernel: FetchingKernel,
  { applicationId, ...whose }: ApplicationTargetQuestion,
  open: Opener,
): Promise<ApplicationTarget | undefined> {
  const [row] = await kernel.db
    .select()
    .from(applicationsApplication)
    .where(eq(applicationsApplication.id, applicationId))
  const info = applicationType(row?.type)
  if (!row || !info) return undefined
  const { id, org_id, name, domain, type, confirmed_destinations } = row
  const isRemote = info.category === 'remote_app'
  const login = await loadLogin(
    kernel,
    {
      ...whose,
      target: id,
      orgId: org_id,
      place: isRemote ? undefined : { ...destinationOf(row), domain, confirmed_destinations },
      candidateOf: (username) => applicationCandidate(kernel.db, id, username),
      accountOf: (username) =>
        chosenAccount(
          kernel.db,
          { kind: 'application_account', table: applicationsAccount, target: applicationsAccount.app },
          { targetId: id, systemUserId: whose.systemUserId, username },
        ),
    },
    open,
  )
  if (!login) return undefined
  const attrs = Object.fromEntries(Object.entries(row.attrs).filter(([, value]) => !isSecret(value)))
  return {
    application: { id, org_id, name, category: info.category, type: type as ApplicationType, domain, attrs },
    ...addressOf(row.attrs),
    ...(isRemote ? { remoteApp: remoteAppStart(row, open), remoteProgram: remoteProgramOf(row, open) } : {}),
    ...login,
  }
}

type Stored = Pick<typeof applicationsApplication.$inferSelect, 'type' | 'attrs'>

const isSecret = (value: unknown) => typeof value === 'object' && value !== null

/** As the database function `applications_destinations` writes it. */
function destinationOf({ type, attrs }: Stored): { protocol: string; address: string } {
  return 'cluster' in attrs
    ? { protocol: type, address: String(attrs.cluster ?? '') }
    : { protocol: `${type}/${attrs.port ?? ''}`, address: String(attrs.host ?? '') }
}

/** A cluster's address is that of its API; without a port it is HTTPS's. */
function addressOf({ host, port, cluster }: Record<string, unknown>): { host: string; port: number } {
  if (typeof cluster !== 'string') return { host: String(host ?? ''), port: Number(port ?? 0) }
  const url = URL.canParse(cluster) ? new URL(cluster) : undefined
  // URL writes IPv6 addresses in brackets, which no socket takes.
  return { host: url ? bareHost(url.hostname) : cluster, port: Number(url?.port || 443) }
}
