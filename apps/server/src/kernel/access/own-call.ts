import type { Call } from './call.ts'

/** The parts of the server that its own calls need. */
interface Host {
  orgNames(): Promise<ReadonlyMap<string, string>>
  jobs: { zone: string }
}

/**
 * A call that the server makes by itself, in one organization: as nobody, in English, from no address,
 * unless said otherwise. Times are those of the server's zone.
 */
export async function ownCall(host: Host, orgId: string, own: Partial<Omit<Call, 'org'>> = {}): Promise<Call> {
  const names = await host.orgNames()
  return {
    user: undefined,
    via: undefined,
    sessionId: undefined,
    org: { id: orgId, name: names.get(orgId) ?? '' },
    orgRoles: [],
    language: 'en',
    timeZone: host.jobs.zone,
    remoteAddress: '',
    ...own,
  }
}
