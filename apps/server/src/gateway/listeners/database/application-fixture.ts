/** A whole server with a port for clients of a database or cluster, and an application that somebody was granted. */
import type { Target } from '@sallyport/contract/target.ts'
import { expect } from 'vitest'
import type { TestDatabase } from '../../../../test/database.ts'
import { freePort } from '../../../../test/free-port.ts'
import { type Caller, openTestServer, type TestServer } from '../../../../test/server.ts'
import { openLicense } from '../../../domains/xpack/license.ts'

export interface ApplicationOf {
  /** Type of application, and the protocol of its system users. */
  type: string
  /** The setting that opens the port; none where clients of the database's own have no door. */
  setting?: string
  attrs: Record<string, unknown>
  /** Accounts of the database or cluster, by the names of their system users. */
  accounts: Readonly<Record<string, { username: string; password: string } | { token: string }>>
}

export interface ApplicationFixture {
  server: TestServer
  /** Port of clients of the database. */
  port: number
  person: Caller
  target: Target
  systemUsers: Record<string, string>
  permission: string
  /** A token of the person's for the application, as that account; unless given, the first. */
  token(account?: string): Promise<string>
  /** Creates something over the API as administrator; answers its id. */
  created(path: string, body: unknown): Promise<string>
  /** Id of the session that began last. */
  newestSession(): Promise<string>
  isFinished(session: string): Promise<boolean>
  /** Ends it as administrator. */
  terminate(session: string): Promise<void>
  /** Turns the permission on or off. */
  permit(isActive: boolean): Promise<void>
}

/** Accounts that are called as they log in, all with one password. */
export const accountsOf = (usernames: readonly string[], password: string): ApplicationOf['accounts'] =>
  Object.fromEntries(usernames.map((username) => [username, { username, password }]))

/** The application is called `gold`, the person `walker`. */
export async function openApplicationFixture(
  { type, setting, attrs, accounts }: ApplicationOf,
  environment: Record<string, string> = {},
  database?: TestDatabase,
): Promise<ApplicationFixture> {
  const port = await freePort()
  const server = await openTestServer({ ...(setting ? { [setting]: String(port) } : {}), ...environment }, database)
  const { kernel, admin } = server
  const license = await openLicense(kernel)
  license.isValid = () => true
  const person = await server.aPerson('walker')
  const created = async (path: string, body: unknown): Promise<string> => {
    const answer = await admin.post(path, body)
    if (answer.status !== 201) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    return answer.body.id
  }
  const category = type === 'k8s' ? 'cloud' : 'db'
  const draft = { name: 'gold', category, type, attrs }
  const application = await created(`/api/v1/applications/applications/?type=${type}`, draft)
  const target: Target = { family: 'application', id: application }
  const systemUsers: Record<string, string> = {}
  for (const [name, account] of Object.entries(accounts)) {
    const draft = { name, ...account, protocol: type, login_mode: 'auto', auto_push: false }
    systemUsers[name] = await created('/api/v1/assets/system-users/', draft)
  }
  const permission = await created('/api/v1/perms/application-permissions/', {
    name: 'everyday',
    category,
    type,
    users: [person.id],
    applications: [application],
    system_users: Object.values(systemUsers),
  })
  return {
    server,
    port,
    person,
    target,
    systemUsers,
    permission,
    created,
    async newestSession() {
      const { body } = await admin.get('/api/v1/terminal/sessions/?is_finished=0&ordering=-date_start&limit=1')
      return body.results[0].id
    },
    isFinished: async (session) => (await admin.get(`/api/v1/terminal/sessions/${session}/`)).body.is_finished,
    async terminate(session) {
      expect((await admin.post('/api/v1/terminal/tasks/kill-session/', [session])).status).toBe(200)
    },
    async permit(is_active) {
      const path = `/api/v1/perms/application-permissions/${permission}/`
      expect((await admin.patch(path, { is_active })).status).toBe(200)
    },
    async token(account = Object.keys(accounts)[0] ?? '') {
      const answer = await person.post('/api/v1/authentication/connection-token/', {
        application: target.id,
        system_user: systemUsers[account],
      })
      if (answer.status !== 201) throw new Error(`no token: ${JSON.stringify(answer.body)}`)
      return answer.body.token as string
    },
  }
}
