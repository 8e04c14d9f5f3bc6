import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { expect } from 'vitest'
import { type Caller, openTestServer, type TestServer } from '../../../test/server.ts'
import { createSession, findSession, type StoredSession } from '../terminal/index.ts'

export const TICKETS = '/api/v1/tickets/tickets/'

export interface CommandReviewFixture {
  server: TestServer
  /** The person of the session. */
  person: Caller
  reviewers: readonly [Caller, Caller]
  assetId: string
  systemUserId: string
  filterId: string
  /** Stores a rule of the filter that has `reboot` confirmed; answers its id. */
  aRule(more?: object): Promise<string>
  /** Stores a live session of the person on the asset. */
  aSession(more?: object): Promise<StoredSession>
  /** The open tickets of the person, newest first. */
  openTickets(): Promise<{ id: string; meta: Record<string, string> }[]>
  close(): Promise<void>
}

/** A server with a person, an asset, two reviewers and a filter that is about the asset. */
export async function openCommandReviewFixture(): Promise<CommandReviewFixture> {
  const server = await openTestServer()
  const { admin } = server
  const make = async (path: string, body: object): Promise<{ id: string }> => {
    const made = await admin.post(`/api/v1/${path}`, body)
    expect([path, made.status, made.body]).toMatchObject([path, 201, {}])
    return made.body
  }
  const person = await server.aPerson('worker')
  const reviewers = [await server.aPerson('first'), await server.aPerson('second')] as const
  const asset = await make('assets/assets/', { hostname: 'web-1', ip: '127.0.0.1', platform: 'Linux' })
  const account = { name: 'root', username: 'root', login_mode: 'auto', password: 'x' }
  const systemUser = await make('assets/system-users/', account)
  const filter = await make('assets/cmd-filters/', { name: 'dangerous', assets: [asset.id] })
  return {
    server,
    person,
    reviewers,
    assetId: asset.id,
    systemUserId: systemUser.id,
    filterId: filter.id,
    async aRule(more = {}) {
      const rule = { content: 'reboot', action: 2, reviewers: reviewers.map(({ id }) => id), ...more }
      return (await make(`assets/cmd-filters/${filter.id}/rules/`, rule)).id
    },
    async aSession(more = {}) {
      const { db } = server.kernel
      const id = await createSession(db, {
        org_id: DEFAULT_ORG_ID,
        user: 'worker of test(worker)',
        user_id: person.id,
        asset: 'web-1(127.0.0.1)',
        asset_id: asset.id,
        system_user: 'root(root)',
        system_user_id: systemUser.id,
        ...more,
      })
      const session = await findSession(db, id)
      if (!session) throw new Error('the session was not stored')
      return session
    },
    async openTickets() {
      const { body } = await person.get(`${TICKETS}?type=command_confirm&status=open&limit=200`)
      return body.results
    },
    close: () => server.close(),
  }
}
