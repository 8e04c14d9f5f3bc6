import { asset } from '@sallyport/contract/resources/assets/asset.ts'
import { systemUser } from '@sallyport/contract/resources/assets/system-user.ts'
import { assetPermission } from '@sallyport/contract/resources/perms/asset-permission.ts'
import { user } from '@sallyport/contract/resources/users/user.ts'
import { useQuery } from '@tanstack/react-query'
import { api, type ListPage, type Query } from '../../../lib/api.ts'
import { session } from '../../../session/session.ts'

export interface Machine {
  id: string
  hostname: string
  ip: string
}

export interface Named {
  id: string
  name: string
  username: string
}

/** What there is of a first session; undefined and false where it is still missing. */
export interface Progress {
  machine: Machine | undefined
  account: Named | undefined
  /** Somebody else than the administrator who looks. */
  person: Named | undefined
  hasAccess: boolean
  /** The administrator who looks may connect to the machine. */
  isMine: boolean
  /** The newest session of anybody. */
  session: FirstSession | undefined
}

export interface FirstSession {
  id: string
  is_finished: boolean
  can_replay: boolean
}

const WATCH_MS = 4000

/** Everything is in one organization and changes by what is done here or elsewhere. */
export function useFirstRun() {
  return useQuery({
    queryKey: ['first-run', session().org?.id],
    queryFn: ({ signal }) => readProgress(signal),
    // The terminal is another window, the person perhaps elsewhere: the last step ticks itself, and the
    // recording comes when the session ends.
    refetchInterval: ({ state: { data } }) => (data?.hasAccess && !data.session?.can_replay ? WATCH_MS : false),
  })
}

async function readProgress(signal: AbortSignal): Promise<Progress> {
  const page = <T>(path: string, query: Query = {}) =>
    api.get<ListPage<T>>(path, { query: { limit: 1, offset: 0, ...query }, signal, quiet: true })
  const [machines, accounts, people, permissions, mine, sessions] = await Promise.all([
    page<Machine>(asset.path),
    page<Named>(systemUser.path, { type: 'common', protocol: 'ssh' }),
    page<Named>(user.path, { limit: 2 }),
    page(assetPermission.path),
    page<Machine>('/api/v1/perms/users/assets/'),
    page<FirstSession>('/api/v1/terminal/sessions/'),
  ])
  return {
    machine: mine.results[0] ?? machines.results[0],
    account: accounts.results[0],
    person: people.results.find(({ id }) => id !== session().profile.id),
    hasAccess: permissions.count > 0,
    isMine: mine.count > 0,
    session: sessions.results[0],
  }
}
