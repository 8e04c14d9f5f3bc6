/**
 * Every change is logged, and can be taken back: each call that changes something leaves a row in the operate
 * log, and answers the id by which undo knows it.
 */
import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import { resources } from '@sallyport/contract/resources/all-fixture.ts'
import { organizationMember } from '@sallyport/contract/resources/orgs/organization-member.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RegisteredRoute } from '../../src/kernel/access/guard.ts'
import { type Answer, type Caller, openTestServer, type TestServer } from '../server.ts'
import { callOf, makeOthers } from './foreign-ids.ts'
import { NOT_TAKEN_BACK, TAKEN_BACK_ELSEWHERE } from './not-taken-back.ts'
import { makeOneOfEach, type OneOfEach, type Row } from './one-of-each.ts'

/** Why a call leaves no row, by its method and address. */
const WITHOUT_ROW: readonly (readonly [RegExp, string])[] = [
  [/\/common\/resources\/cache\/$/, 'a selection of rows, kept for minutes'],
  [/\/site-message\/mark-as-read\/$/, 'that somebody has read a message'],
  [/\/reviews\/proposals\/look\/$/, 'reads what was used, and changes no right'],
  [/\/doctor\/run\/$/, 'looks for faults and changes nothing'],
  [/\/ldap\/cache\/refresh\/$|\/users\/refresh\/$/, 'reads the directory again'],
  [
    /\/cmd-filters\/try\/$|\/as-code\/plan\/$|\/reach\/$|\/preview\/$|\/cloud\/regions\/$/,
    'answers a question and stores nothing',
  ],
  [/\/render-to-json\/$/, 'reads a file and stores nothing'],
  [/\/applications\/saved-statements\//, 'auditors would read what nobody else is to read; what is run is recorded'],
  [/\/users\/list-views\//, "which columns a person likes is nobody's evidence"],
  [/\/tickets\/comments\/$/, 'a comment is evidence itself, chained like the log'],
  [/\/koko\/files\/measure\/$/, 'counts what is there'],
  [/\/api\/mcp\b/, 'carries calls, each of which leaves a row of its own'],
  [/^(PUT|PATCH) .*(-relations\/|\/membership\/)/, 'links what is linked already, which is no change'],
  [/^POST .*system-users-(assets|nodes)-relations\/$/, 'the grants of this walk have linked them again'],
  [/\/users\/users\/remove\/$/, 'names nobody here, so nobody is removed'],
  [/\/interface\/restore$/, 'the defaults are there already'],
  [/\/kill-session-for-ticket\/$/, 'no ticket let this session in, so it goes on'],
  [/\/asset-permissions\/cache\/$/, 'there is no cache; kept for older clients'],
]

/** Why the walk does not bring about what a call does; their own tests do. */
const NOT_REACHED: readonly (readonly [RegExp, string])[] = [
  [/\/import-jobs\//, 'rows of an import leave rows one by one'],
  [/\/as-code\/apply\//, 'wants the digest of a plan'],
  [/\/directories\/(test|:id\/(test-sign-in|users\/import))\/$/, 'asks a directory'],
  [/\/(openid-providers|saml2-providers|cas-servers|radius-servers)\/(test|discover)\/$/, 'asks a provider'],
  [
    /\/testing\/|\/test-connective\/|\/testing\/|\/forwarding\/test\/|\/secret-sources\/:id\/test\//,
    'asks a server elsewhere',
  ],
  [
    /\/ldap\/users\/import\/|\/gateways\/:id\/|shown-host-key|host-keys\/|server-keys\/|try-login/,
    'asks a server elsewhere',
  ],
  [
    /\/(browser-sign-ins|agent-programs)\/|\/(card-decisions|slack-bindings|slack-account|slack)\/|\/passkeys\/|\/otp\/|\/unbind\/|\/password\/verify\/|\/profile\/password\//,
    'asks for a proof in a browser',
  ],
  [/\/connection-token\/|\/sso\//, 'wants a grant or a setting'],
  [/\/workload-tokens\//, 'wants the token of a provider'],
  [/\/oauth\//, 'is for programs that people connect, and logs the end of what they had'],
  [/\/ssh-authorities\/:id\/retire\/$/, 'wants a newer version'],
  [/\/destinations\/confirm\/|\/break-glass-bundles\/:id\//, 'wants something that has moved or was sealed'],
  [
    /\/(plan|app-plan)-execution-subtask\/|\/app-plan\/:id\/systemusers\/|\/app-plan-execution\//,
    'wants a run that failed',
  ],
  [/\/tickets\/(tickets|ticket-session-relation|flows)\//, 'wants people who decide'],
  [/\/terminal\/(terminals|replay-storages|command-storages|recording-moves|tasks)\//, 'wants a component or a store'],
  [/\/ops\/(celery|monitor|adhoc|adhoc-executions|command-executions|runbook-files)\//, 'wants a run'],
  [/^POST .*\/reviews\/proposals\/:id\//, 'wants 90 days of use'],
  [/^POST .*\/access-reviews\/:id\/(decisions|assignments)\//, 'wants a grant under review'],
  [/^POST .*\/access-reviews\/:id\/end\/$/, 'wants one that has begun, which goes on behind the call'],
  [/^DELETE .*\/access-reviews\/:id\/$/, 'wants one that has not begun'],
  [/\/koko\//, 'wants a machine'],
  [/\/audits\/undo\/:id\/$/, 'wants a change of which something is kept'],
  [/\/moving\/jumpserver\//, 'wants a database of JumpServer'],
  [/\/terminal\/capacity\//, 'wants a node, which then works for a minute'],
  [/\/xpack\/(license|interface)\//, 'takes a file'],
  [/\/own-invitations\/|\/invitations\/|\/orgs\/orgs\/:org_id\//, 'wants an organization or an invitation'],
  [
    /\/(system|user)-msg-subscription\/:|\/sessions\/:id\/$|\/sign-ins\/:id\/|\/users\/:user_id\/sessions\//,
    'wants its own row',
  ],
  [/\/pubkey\/update\/$/, 'an old address of the own key'],
  [/\/released-assets\/$|\/gathered-users\/:id\/$/, 'wants what a cloud or a machine has told'],
  [/\/favorite-assets\//, 'its rows are known by their asset'],
  [/\/ops\/tasks\/:id\/run\/|\/runbooks\/:id\/run\/|runbook-schedules/, 'wants a grant, or a task that has a version'],
  [/\/webhook-deliveries\/:id\/send-again\/$/, 'wants a message that was sent'],
  [/\/nodes\/:id\/children\/add\/$/, 'wants another node'],
  [/^DELETE .*\/orgs\/|\/org-member-relation\//, 'wants an organization that is empty, or another member'],
  [/^DELETE .*(\/cloud\/accounts|\/cmd-filters\/:filter_id\/rules|\/users\/users)\/:id\/$/, 'wants another one'],
  [/^(POST|PUT|PATCH) .*-users?-relations\/|users-groups-relations\//, 'wants another person'],
]

const isNamed = (list: readonly (readonly [RegExp, string])[], line: string) => list.some(([path]) => path.test(line))

/** The input with which a call changes something, where the required fields are not enough. */
const BODIES: Readonly<Record<string, () => Row | Row[]>> = {
  'PUT /api/v1/settings/setting/': () => ({ SITE_URL: 'https://put.example.com', ANNOUNCEMENT: {} }),
  'PATCH /api/v1/settings/setting/': () => ({ SITE_URL: 'https://patched.example.com' }),
  'POST /api/v1/notifications/site-message/send/': () => ({ user_ids: [other.id], subject: 'x', message: 'y' }),
  'PUT /api/v1/users/profile/': () => ({ comment: 'put' }),
  'PATCH /api/v1/users/profile/': () => ({ comment: 'patched' }),
  'PUT /api/v1/users/profile/public-key/': () => ({ public_key: PUBLIC_KEY }),
  'PATCH /api/v1/users/profile/public-key/': () => ({ public_key: PUBLIC_KEY }),
  'PUT /api/v1/users/profile/secret-key/': () => ({ new_secret_key: 'a', new_secret_key_again: 'a' }),
  'PATCH /api/v1/users/profile/secret-key/': () => ({ new_secret_key: 'a', new_secret_key_again: 'a' }),
  'PATCH /api/v1/assets/ssh-authorities/:id/': () => ({ comment: 'patched' }),
  'POST /api/v1/terminal/tasks/kill-session/': () => [String(own.session?.id)] as unknown as Row[],
  'POST /api/v1/terminal/tasks/kill-session-for-ticket/': () => ({
    session_id: String(own.session?.id),
    ticket_id: String(own.session?.id),
  }),
}
const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGzLvXo1pIvmVvRRlEvEr4eFl0xqT6QkqZ2b9m0cJxVt me@home'

let server: TestServer
let own: OneOfEach
/** How each call of the walk went. */
let walk: Readonly<Record<'lines' | 'kept' | 'impossible' | 'notKept' | 'unreached' | 'unlogged', string[]>>
let other: Caller

beforeAll(async () => {
  // Without the jobs, which would end what is begun.
  server = await openTestServer({ SALLYPORT_ROLES: 'api,gateway' })
  other = await server.aPerson('other')
  own = { ...(await makeOneOfEach(server, server.admin)), user: { id: other.id } }
  await makeOthers(server.kernel.routes, own, server.admin.post)
})
afterAll(() => server?.close())

function send(route: RegisteredRoute): Promise<Answer> {
  const { method, url } = route
  const { address, body } = callOf(own, route)
  return server.call(method, address, {
    headers: { authorization: `Bearer ${server.admin.token}`, 'x-jms-org': DEFAULT_ORG_ID },
    ...(method === 'GET' ? {} : { body: BODIES[`${method} ${url}`]?.() ?? body }),
  })
}

const isForPeople = ({ access }: RegisteredRoute) =>
  access.some((word) => !['anonymous', 'component', 'bootstrap_token'].includes(word)) && !access.includes('anonymous')
const changes = ({ method, config }: RegisteredRoute) =>
  /POST|PUT|PATCH|DELETE/.test(method) || (method === 'GET' && config.changesOnGet !== undefined)

/**
 * Links go first, and are made once more; then rows are changed, before others of their kind take
 * their place; last come the calls that take rows away, those that others refer to after these.
 */
function order({ method, url }: RegisteredRoute): number {
  if (url.includes('-relations/')) return method === 'DELETE' ? 0 : method === 'POST' ? 1 : 2
  if (url.endsWith('/asset/add/')) return 1
  if (url.endsWith('execution/')) return 2
  if (method === 'DELETE' || url.includes('/remove/')) {
    const resource = resources.find(({ path }) => url === `${path}:id/`)
    // A person's rows are out of sight once their membership has ended; it is a part of the person.
    return resource && resource.name !== organizationMember.name ? 5 + height(resource.name) : 5.5
  }
  return method === 'POST' ? 4 : 3
}
/** How many resources one after the other refer to rows of this one. */
function height(name: string, below: readonly string[] = []): number {
  if (below.includes(name)) return 0
  const referring = resources.filter(({ fields }) => Object.values(fields).some(({ to }) => to === name))
  return Math.max(0, ...referring.map((one) => (one.name === name ? 0 : 1 + height(one.name, [...below, name]))))
}
/** A call for many rows at once: the same code as for one; `unlogged.test.ts` covers both. */
const isOfMany = ({ method, url }: RegisteredRoute) => method === 'DELETE' && !url.includes(':')

test('[B7.01] every call by which people change something leaves a row in the operate log, or is named with its reason', async () => {
  const { pool, routes } = server.kernel
  const rows = async () => Number((await pool.query('SELECT count(*) FROM audits_operate_log')).rows[0].count)
  const unlogged: string[] = []
  const unreached: string[] = []
  const notKept: string[] = []
  const kept: string[] = []
  const impossible: string[] = []
  let logged = 0
  const walked = routes.filter((route) => isForPeople(route) && changes(route) && !isOfMany(route))
  for (const route of walked.toReversed().toSorted((one, another) => order(one) - order(another))) {
    const line = `${route.method} ${route.url}`
    const before = await rows()
    const { status, body, headers } = await send(route)
    const made = status === 201 && resources.find(({ path }) => path === route.url)
    if (made) own[made.name] = body
    if (status >= 300) unreached.push(`${line} ${status} ${JSON.stringify(body).slice(0, 100)}`)
    else if ((await rows()) === before) unlogged.push(line)
    else {
      logged++
      if (headers['x-change']) {
        kept.push(line)
        const { body: undo } = await server.admin.get(`/api/v1/audits/undo/${headers['x-change']}/`)
        if (!undo.is_possible) impossible.push(`${line} ${undo.reason ?? undo.detail}`)
      } else notKept.push(line)
    }
  }
  expect(unlogged.filter((line) => !isNamed([...WITHOUT_ROW, ...NOT_REACHED], line))).toEqual([])
  expect(unreached.filter((line) => !isNamed([...WITHOUT_ROW, ...NOT_REACHED], line.split(' ', 2).join(' ')))).toEqual(
    [],
  )
  expect(logged).toBeGreaterThan(250)
  walk = { lines: walked.map(({ method, url }) => `${method} ${url}`), notKept, unreached, unlogged, kept, impossible }
})

test('every call by which people change something answers how it is taken back, or is named with the reason why it is not', () => {
  const never = NOT_TAKEN_BACK.flatMap(({ calls }) => calls)
  const isOneOf = (list: readonly RegExp[], line: string) => list.some((path) => path.test(line))
  const { lines, notKept, unreached, unlogged, kept, impossible } = walk
  const elsewhere = TAKEN_BACK_ELSEWHERE.map(([path]) => path)
  // Calls that leave no row change nothing that anybody could want back.
  const open = [...notKept, ...unreached.map((line) => line.split(' ', 2).join(' '))].filter(
    (line) => !isNamed(WITHOUT_ROW, line),
  )
  expect(open.filter((line) => !isOneOf([...never, ...elsewhere], line))).toEqual([])
  expect(unlogged.filter((line) => !isNamed(WITHOUT_ROW, line) && !isOneOf([...never, ...elsewhere], line))).toEqual([])
  expect(
    kept.filter((line) => isOneOf(never, line)),
    'named, and taken back all the same',
  ).toEqual([])
  // The walk makes the storages that are built in once more, which nobody can delete.
  expect(impossible.filter((line) => !/^POST \S+-storages\/ /.test(line))).toEqual([])
  const unused = [...never, ...elsewhere].filter((path) => !lines.some((line) => path.test(line)))
  expect(unused, 'a call that there is no longer').toEqual([])
  expect(kept.length).toBeGreaterThan(180)
})
