import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Caller } from '../../../test/server.ts'
import { startSshd } from '../../domains/assets/sshd-fixture.ts'
import { sendDueRunbooks } from '../../domains/ops/runbooks/index.ts'
import { settingsOf } from '../../domains/settings/index.ts'
import { openTerminalFixture, type TerminalFixture } from '../listeners/web/terminal-fixture.ts'

const RUNBOOKS = '/api/v1/ops/runbooks/'
const FILES = '/api/v1/ops/runbook-files/'
const RUNS = '/api/v1/ops/command-executions/'
/** In no other process of this machine. */
const MARK = `z${randomBytes(8).toString('hex')}`
/** A password with characters that a shell would expand. */
const PASSWORD = `Se'cr"et ${MARK} $(id) \\1`

let fixture: TerminalFixture
/** An administrator with the permission on both machines. */
let operator: Caller
let second: string
let folder: string
beforeAll(async () => {
  fixture = await openTerminalFixture()
  folder = mkdtempSync(join(tmpdir(), 'sallyport-handover-'))
  operator = await fixture.server.aPerson('handover', { orgRoles: ['Admin'] })
  second = await fixture.created('/api/v1/assets/assets/', {
    hostname: 'web-2',
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${fixture.sshd.port}`],
  })
  for (const users of [[operator.id], [fixture.person.id]])
    await fixture.created('/api/v1/perms/asset-permissions/', {
      name: `handover ${users[0]}`,
      users,
      assets: [fixture.asset, second],
      system_users: [fixture.systemUser],
    })
  await needsMfa(false)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await fixture?.close()
})

const needsMfa = (on: boolean) => settingsOf(fixture.server.kernel).change({ SECURITY_VIEW_AUTH_NEED_MFA: on })
const aRunbook = (draft: object): Promise<string> => fixture.created(RUNBOOKS, draft)
const step = (name: string, command: string) => ({ name, command })
const asked = (draft: object = {}) => ({ hosts: [fixture.asset, second], run_as: fixture.systemUser, ...draft })
const begin = (id: string, draft: object = {}, by = operator) => by.post(`${RUNBOOKS}${id}/run/`, asked(draft))
async function finished(id: string, by = operator) {
  expect(id).toBeDefined()
  await expect.poll(async () => (await by.get(`${RUNS}${id}/`)).body.is_finished).toBe(true)
  return (await by.get(`${RUNS}${id}/`)).body
}
const sent = async (name: string, content: string) =>
  (await fixture.server.admin.post(FILES, { name, content: Buffer.from(content).toString('base64') })).body.id as string
const looks = async (account: string) =>
  (await operator.get(`/api/v1/assets/accounts/${account}/looks/`)).body as Record<string, string>[]

test('[A2.45] the password of an account reaches a program by its environment, each use leaves a row, and nothing shows it', async () => {
  const account = await fixture.created('/api/v1/assets/accounts/', {
    username: 'app',
    asset: fixture.asset,
    password: PASSWORD,
  })
  const id = await aRunbook({
    name: 'with a password',
    steps: [
      step('program', `APP_PASSWORD={{pw}} sh -c 'printf %s "$APP_PASSWORD" | sha256sum'`),
      // Output of a careless author: the secret is masked in what is shown and kept.
      step('said', `printf '%s\\n' {{pw}}; printf %s {{pw}} >&2`),
      step('seen by others', `grep -las '[z]${MARK.slice(1)}' /proc/[0-9]*/cmdline; true`),
    ],
    variables: [{ name: 'pw', kind: 'secret', account: 'app' }],
  })
  const { body } = await operator.post(`${RUNBOOKS}${id}/preview/`, asked())
  expect(body.secrets).toEqual([{ name: 'pw', account: 'app' }])
  expect(body.commands[0].command).toContain('APP_PASSWORD="$pw" sh')
  const begun = await begin(id)
  expect([begun.status, begun.body]).toEqual([201, { id: expect.any(String) }])
  const run = await finished(begun.body.id)
  const digest = createHash('sha256').update(PASSWORD).digest('hex')
  expect(run.result['web-1']).toMatchObject({
    rc: 0,
    stdout: `== 1/3 program\n${digest}  -\n== 2/3 said\n******\n== 3/3 seen by others\n`,
    stderr: '******',
  })
  expect(run.result['web-2']).toEqual({ err: 'There is no account app with a password' })
  const { rows } = await fixture.server.kernel.pool.query(
    `SELECT e::text AS run, h::text AS host, (SELECT string_agg(data, '') FROM ops_task_log WHERE task = e.id) AS log
     FROM ops_command_execution e JOIN ops_command_execution_host h ON h.execution = e.id WHERE e.id = $1`,
    [run.id],
  )
  expect(rows).toHaveLength(2)
  expect(JSON.stringify([rows, run])).not.toContain(MARK)
  expect(await looks(account)).toMatchObject([{ how: 'run', user: expect.stringContaining('(handover)') }])
  expect((await looks(account))[0]?.reason).toBe(`run ${run.id}`)
})

test('[A2.45] a person who may not read secrets runs nothing with them; nor is it run without the second factor, where lists of secrets ask for it', async () => {
  const vault = await fixture.created('/api/v1/assets/accounts/', {
    username: 'backup',
    asset: fixture.asset,
    password: PASSWORD,
  })
  const id = await aRunbook({
    name: 'of another asset',
    steps: [step('one', 'export P={{pw}}; printf %s "$P" | wc -c')],
    variables: [{ name: 'pw', kind: 'secret', account: 'backup@web-1' }],
  })
  expect((await begin(id, {}, fixture.person)).status).toBe(403)
  const schedule = { runbook: id, ...asked(), interval: 1 }
  expect((await fixture.person.post('/api/v1/ops/runbook-schedules/', schedule)).status).toBe(403)
  // An administrator of another organization is none here.
  const org = await fixture.server.anOrg('handover elsewhere')
  // An administrator of another organization is none here, also where that one is called.
  const { kernel, admin } = fixture.server
  await kernel.pool.query(
    "INSERT INTO orgs_membership (org_id, user_id, role) VALUES ($1, $2, 'Admin') ON CONFLICT DO NOTHING",
    [org, fixture.person.id],
  )
  expect((await fixture.person.in(org).post('/api/v1/ops/runbook-schedules/', schedule)).status).toBe(403)
  await needsMfa(true)
  const refused = await begin(id)
  expect([refused.status, refused.body.code]).toEqual([400, 'mfa_verify_required'])
  await needsMfa(false)
  expect(await looks(vault)).toEqual([])
  const run = await finished((await begin(id, { hosts: [second] })).body.id)
  expect(run.result).toMatchObject({ 'web-2': { rc: 0, stdout: `${PASSWORD.length}\n` } })
  // The schedule of a person who is no administrator any more by the time it runs passes nothing.
  const saved = await operator.post('/api/v1/ops/runbook-schedules/', schedule)
  expect(saved.status).toBe(201)
  await kernel.pool.query("UPDATE orgs_membership SET role = 'User' WHERE user_id = $1", [operator.id])
  try {
    await kernel.pool.query('UPDATE ops_runbook_schedule SET date_next_run = now() WHERE id = $1', [saved.body.id])
    await sendDueRunbooks(kernel, new Date(Date.now() + 1000))
    const stored = async () => (await operator.get(`/api/v1/ops/runbook-schedules/${saved.body.id}/`)).body.error
    await expect.poll(stored).toContain('administrators of the organization alone')
  } finally {
    await kernel.pool.query("UPDATE orgs_membership SET role = 'Admin' WHERE user_id = $1", [operator.id])
    await admin.delete(`/api/v1/ops/runbook-schedules/${saved.body.id}/`)
  }
})

test('a secret is named where no list of processes shows it, and by an account that can be', async () => {
  const refusal = async (command: string, variable: object = {}) => {
    const { status, body } = await fixture.server.admin.post(RUNBOOKS, {
      name: 'wrong',
      steps: [step('one', command)],
      variables: [{ name: 'pw', kind: 'secret', account: 'app', ...variable }],
    })
    return [status, JSON.stringify(body)]
  }
  for (const command of [
    'mysql -p{{pw}}',
    'echo "{{pw}}"',
    'echo {{pw}}',
    'env P={{pw}} id',
    'P={{pw}} id {{pw}}',
    'x $(y {{pw}})',
  ])
    expect([command, await refusal(command)]).toEqual([command, [400, expect.stringContaining('list of processes')]])
  for (const variable of [{ account: '' }, { account: 'a b' }, { value: 'x' }, { name: 'sallyport_files' }])
    expect((await refusal('P={{pw}} id', variable))[0]).toBe(400)
})

test('[A2.45] a step puts a file in its place with mode and owner, between the others, and leaves nothing behind; it is in the FTP log of each machine', async () => {
  const file = await sent('app.conf', 'port = {{port}}\n')
  const path = join(folder, "it's app.conf")
  const owner = fixture.sshd.username
  const id = await aRunbook({
    name: 'puts a file',
    steps: [
      step('before', `test ! -e ${folder}/*app.conf; echo {{host.name}}`),
      { name: 'put it', kind: 'file', file, path, mode: '0640', owner },
      step('after', `cat ${folder}/*app.conf; rm ${folder}/*app.conf; echo "in $sallyport_files"`),
    ],
    variables: [],
  })
  const preview = (await operator.post(`${RUNBOOKS}${id}/preview/`, asked({ hosts: [second] }))).body
  const sha256 = createHash('sha256').update('port = {{port}}\n').digest('hex')
  expect(preview.files).toEqual([{ id: file, name: 'app.conf', size: 16, sha256, step: 2, path, mode: '0640', owner }])
  expect(preview.commands[0].command).toContain(`install -m 0640 -o ${owner} "$sallyport_files/2" '`)
  const logged = async () =>
    (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=20&offset=0')).body.results.filter(
      ({ filename }: { filename: string }) => filename === path,
    )
  const run = await finished((await begin(id, { hosts: [second] })).body.id)
  expect(run.result['web-2']).toMatchObject({ rc: 0, stdout: expect.stringContaining('port = {{port}}\n') })
  await expect
    .poll(logged)
    .toMatchObject([{ operate: 'Upload', is_success: true, asset: expect.stringContaining('web-2') }])
  const [, sentTo = ''] = /^in (\/tmp\/\.sallyport-\w+)$/m.exec(run.result['web-2'].stdout) ?? []
  expect([sentTo, existsSync(sentTo)]).toEqual([expect.stringContaining('/tmp/'), false])
  expect((await operator.get(`${RUNBOOKS}${id}/versions/`)).body[0].files).toEqual([
    { id: file, name: 'app.conf', size: 16, sha256 },
  ])

  // A step before it fails: it is not put, and the log says so.
  await fixture.server.admin.patch(`${RUNBOOKS}${id}/`, {
    steps: [step('fails', 'exit 3'), { name: 'put it', kind: 'file', file, path, mode: '0600' }],
  })
  expect((await finished((await begin(id, { hosts: [second] })).body.id)).result['web-2'].rc).toBe(3)
  await expect.poll(async () => (await logged()).map((one: { is_success: boolean }) => one.is_success)).toContain(false)
  expect(existsSync(path)).toBe(false)
  await fixture.server.admin.patch(`${RUNBOOKS}${id}/`, {
    steps: [{ name: 'put it', kind: 'file', file, path, mode: '0600' }],
  })
  await finished((await begin(id, { hosts: [second] })).body.id)
  expect([statSync(path).mode & 0o777, readFileSync(path, 'utf8')]).toEqual([0o600, 'port = {{port}}\n'])
})

test('[A2.45] a file replaces another in one go, has the usual mode where none is said, and is put into no folder of its name', async () => {
  const file = await sent('app.conf', 'new\n')
  const place = join(mkdtempSync(join(folder, 'places-')), "it's")
  const put = { name: 'put it', kind: 'file', file, path: place, mode: '' }
  const id = await aRunbook({ name: 'replaces', steps: [put, step('after', 'echo after')] })
  const outcome = async () => (await finished((await begin(id, { hosts: [second] })).body.id)).result['web-2']
  mkdirSync(place)
  expect(await outcome()).toMatchObject({ rc: 1, stderr: `${place}: this is a folder\n` })
  expect(readdirSync(place)).toEqual([])
  rmdirSync(place)
  writeFileSync(place, 'old\n', { mode: 0o600 })
  expect(await outcome()).toMatchObject({ rc: 0 })
  expect([statSync(place).mode & 0o777, readFileSync(place, 'utf8')]).toEqual([0o644, 'new\n'])
  expect(readdirSync(dirname(place))).toEqual(["it's"])
})

/** Actions of an SFTP server of OpenSSH, by its own log. */
const LOGGED = /^(?:mkdir|remove|rmdir) name "[^"]*"/gm

test('[A2.45] files that no shell takes away go again: where the machine only takes files, refuses them midway, or stops answering and the run is cancelled', async () => {
  const log = join(folder, 'sftp.log')
  const way = join(folder, 'way')
  const serve = `/usr/lib/openssh/sftp-server -e -l INFO`
  // The first channel of a run goes wrong, later ones are served.
  writeFileSync(
    join(folder, 'machine.sh'),
    `case "$SSH_ORIGINAL_COMMAND" in *sftp*) ;; *) echo files alone >&2; exit 1;; esac
way=$(cat ${way}); echo served > ${way}
case $way in
denies) ${serve} -P write 2>>${log};;
stalls) dd bs=1 count=120 2>/dev/null | ${serve} 2>>${log}; cat >/dev/null;;
*) ${serve} 2>>${log};;
esac
`,
  )
  const sshd = await startSshd({
    config: `ForceCommand exec sh ${join(folder, 'machine.sh')}\n`,
  })
  try {
    const asset = await fixture.created('/api/v1/assets/assets/', {
      hostname: 'files-alone',
      ip: '127.0.0.1',
      platform: 'Linux',
      protocols: [`ssh/${sshd.port}`],
    })
    const systemUser = await fixture.created('/api/v1/assets/system-users/', {
      name: 'files alone',
      username: sshd.username,
      protocol: 'ssh',
      login_mode: 'auto',
      private_key: sshd.privateKey,
      auto_push: false,
    })
    await fixture.created('/api/v1/perms/asset-permissions/', {
      name: 'files alone',
      users: [operator.id],
      assets: [asset],
      system_users: [systemUser],
    })
    const path = join(folder, 'never')
    const file = await sent('x', 'x')
    const id = await aRunbook({ name: 'files alone', steps: [{ name: 'put', kind: 'file', file, path }] })
    const done = () => (existsSync(log) ? (readFileSync(log, 'utf8').match(LOGGED) ?? []) : [])
    const outcome = async (how: string, meanwhile: (run: string) => Promise<unknown> = async () => {}) => {
      writeFileSync(log, '')
      writeFileSync(way, how)
      const begun = await begin(id, { hosts: [asset], run_as: systemUser })
      await meanwhile(begun.body.id)
      const { result } = await finished(begun.body.id)
      const [made = ''] = done()
      const at = made.slice('mkdir name "'.length, -1)
      expect([how, at, existsSync(at)]).toEqual([how, expect.stringMatching(/^\/tmp\/\.sallyport-/), false])
      return result['files-alone']
    }
    expect(await outcome('served')).toMatchObject({ rc: 1, stderr: 'files alone\n' })
    expect(await outcome('denies')).toEqual({ err: expect.stringContaining('could not be put on the machine') })
    const cancelled = async (run: string) => {
      await expect.poll(done).toHaveLength(1)
      expect((await operator.post(`${RUNS}${run}/cancel/`)).status).toBe(200)
    }
    expect(await outcome('stalls', cancelled)).toEqual({ err: 'Cancelled' })
  } finally {
    await sshd.close()
  }
})

test('[A2.45] a run that waits for its turn holds nothing: a person who lost the right meanwhile runs nothing', async () => {
  const account = await fixture.created('/api/v1/assets/accounts/', {
    username: 'later',
    asset: second,
    password: PASSWORD,
  })
  const sign = join(folder, 'sign')
  const waits = await aRunbook({
    name: 'waits',
    steps: [step('one', `echo begun; until [ -e ${sign} ]; do sleep 0.1; done`)],
  })
  const id = await aRunbook({
    name: 'later',
    steps: [step('one', 'P={{pw}} true')],
    variables: [{ name: 'pw', kind: 'secret', account: 'later' }],
  })
  const before = await Promise.all(Array.from({ length: 5 }, () => begin(waits, { hosts: [second] })))
  const states = async () => {
    const outcomes = before.map(({ body }) => operator.get(`${RUNS}${body.id}/outcomes/`))
    return (await Promise.all(outcomes)).map(({ body }) => body.hosts[0].state)
  }
  await expect.poll(states).toEqual(Array(5).fill('running'))
  const { body } = await begin(id, { hosts: [second] })
  const waiting = (await operator.get(`${RUNS}${body.id}/outcomes/`)).body
  expect([waiting.hosts[0].state, await looks(account)]).toEqual(['waiting', []])
  const { pool } = fixture.server.kernel
  await pool.query("UPDATE orgs_membership SET role = 'User' WHERE user_id = $1", [operator.id])
  try {
    writeFileSync(sign, '')
    const run = await finished(body.id)
    expect(run.result).toEqual({
      'web-2': { err: expect.stringContaining('administrators of the organization alone') },
    })
  } finally {
    await pool.query("UPDATE orgs_membership SET role = 'Admin' WHERE user_id = $1", [operator.id])
  }
  for (const one of before) expect((await finished(one.body.id)).result['web-2'].rc).toBe(0)
})

test('a person who may not upload puts no file, and files of other organizations, too large or unnamed ones are refused', async () => {
  const file = await sent('x', 'x')
  const put = (change: object = {}) => ({ name: 'a', kind: 'file', file, path: join(folder, 'never'), ...change })
  const id = await aRunbook({ name: 'uploads', steps: [put()] })
  const reader = await fixture.server.aPerson('handover-reader', { orgRoles: ['User'] })
  await fixture.created('/api/v1/perms/asset-permissions/', {
    name: 'handover-reader',
    users: [reader.id],
    assets: [second],
    system_users: [fixture.systemUser],
    actions: ['connect', 'download_file'],
  })
  const run = await finished((await begin(id, { hosts: [second] }, reader)).body.id, reader)
  expect(run.result).toEqual({ 'web-2': { err: 'You have no permission to change files on this asset' } })
  expect(existsSync(join(folder, 'never'))).toBe(false)
  const refusal = async (steps: object[]) => {
    const { status, body } = await fixture.server.admin.post(RUNBOOKS, { name: 'wrong', steps })
    return [status, Object.keys(body)]
  }
  for (const change of [
    { path: '' },
    { path: 'etc/x' },
    { path: '/etc/' },
    { path: '/a/{{host.name}}' },
    { path: '/a\nb' },
  ])
    expect([change, await refusal([put(change)])]).toEqual([change, [400, ['steps']]])
  for (const change of [{ file: '' }, { file: second }, { mode: '4755' }, { owner: 'a; b' }, { kind: 'x' }])
    expect([change, await refusal([put(change)])]).toEqual([change, [400, ['steps']]])
  expect(await refusal([{ name: 'no command' }])).toEqual([400, ['steps']])
  const org = await fixture.server.anOrg('files elsewhere')
  const elsewhere = await fixture.server.aPerson('files-elsewhere', { orgRoles: ['Admin'], org })
  expect((await elsewhere.get(`${FILES}${file}/`)).status).toBe(404)
  expect((await elsewhere.post(RUNBOOKS, { name: 'foreign', steps: [put()] })).status).toBe(400)
  for (const by of [fixture.person, reader]) {
    expect((await by.get(`${FILES}${file}/`)).status).toBe(403)
    expect((await by.post(FILES, { name: 'x', content: '' })).status).toBe(403)
  }
  expect((await fixture.server.admin.get(`${FILES}${file}/`)).status).toBe(200)
  const { body: log } = await fixture.server.admin.get('/api/v1/audits/operate-logs/?limit=5&offset=0')
  expect(log.results[0]).toMatchObject({
    action: 'download',
    resource_type: expect.stringContaining('file'),
    resource: expect.stringContaining('x (sha256 '),
  })
  const nowhere = await fixture.server.admin.in(ROOT_ORG_ID).post(FILES, { name: 'x', content: 'eA==' })
  expect([nowhere.status, Object.keys(nowhere.body)]).toEqual([400, ['org_id']])
  const wrong = [
    { name: 'a/b' },
    { name: '' },
    { content: '*' },
    { content: 'A'.repeat(1_400_000) },
    { name: undefined },
  ]
  for (const change of wrong)
    expect([400, 413]).toContain(
      (await fixture.server.admin.post(FILES, { name: 'x', content: 'eA==', ...change })).status,
    )
})
