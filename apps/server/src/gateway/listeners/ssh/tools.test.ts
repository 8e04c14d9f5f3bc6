/** What people and machines already use, unchanged, through the SSH entry. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSshFixture, type SshFixture } from './ssh-fixture.ts'

let fixture: SshFixture
/** `ssh` with its options, as tools take it. */
let shell: string
beforeAll(async () => {
  fixture = await openSshFixture()
  shell = ['ssh', ...fixture.clientOptions().options].join(' ')
})
afterAll(() => fixture?.close())

const folderOf = (name: string) => {
  const folder = join(fixture.folder, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

test('rsync both ways, twice: the second time nothing is sent', async () => {
  const [source, target, back] = [folderOf('source'), folderOf('target'), folderOf('back')]
  mkdirSync(join(source, '中文 folder'))
  writeFileSync(join(source, 'large'), randomBytes(5 * 1024 * 1024))
  for (let n = 0; n < 50; n++) writeFileSync(join(source, '中文 folder', `file ${n}`), randomBytes(n * 10))
  const sync = (from: string, to: string) => fixture.run('rsync', ['-a', '--stats', '-e', shell, from, to])
  const up = await sync(`${source}/`, `${fixture.direct}:${target}/`)
  expect([up.code, up.stderr]).toEqual([0, ''])
  const down = await sync(`${fixture.direct}:${target}/`, `${back}/`)
  expect([down.code, down.stderr]).toEqual([0, ''])
  expect(execFileSync('diff', ['-r', source, back]).toString()).toBe('')
  const again = await sync(`${source}/`, `${fixture.direct}:${target}/`)
  expect(again.stdout.toString()).toContain('Number of regular files transferred: 0')
})

test('scp with its old protocol, both ways, with times and modes', async () => {
  const { options } = fixture.clientOptions()
  const file = join(folderOf('scp'), 'script.sh')
  writeFileSync(file, randomBytes(300_000), { mode: 0o750 })
  const copy = (from: string, to: string) => fixture.run('scp', ['-O', '-p', ...options, from, to])
  const up = await copy(file, `${fixture.direct}:${file}.up`)
  expect([up.code, up.stderr]).toEqual([0, ''])
  const down = await copy(`${fixture.direct}:${file}.up`, `${file}.down`)
  expect([down.code, down.stderr]).toEqual([0, ''])
  expect(readFileSync(`${file}.down`).equals(readFileSync(file))).toBe(true)
  expect(execFileSync('stat', ['-c', '%a', `${file}.down`]).toString()).toBe('750\n')
})

test('rights to upload and to download hold for rsync and scp as well, and each transfer is in the FTP log', async () => {
  const { options } = fixture.clientOptions()
  const file = join(folderOf('rights'), 'data')
  writeFileSync(file, 'data')
  const url = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  const copy = (from: string, to: string) => fixture.run('scp', ['-O', ...options, from, to])
  const sync = (from: string, to: string) => fixture.run('rsync', ['-e', shell, from, to])
  await fixture.server.admin.patch(url, { actions: ['connect', 'download_file'] })
  try {
    for (const up of [await copy(file, `${fixture.direct}:${file}.1`), await sync(file, `${fixture.direct}:${file}.1`)]) {
      expect(up.code).not.toBe(0)
      expect(up.stderr).toMatch(/no permission|没有/)
    }
    expect((await copy(`${fixture.direct}:${file}`, `${file}.2`)).code).toBe(0)
    await fixture.server.admin.patch(url, { actions: ['connect', 'upload_file'] })
    expect((await copy(`${fixture.direct}:${file}`, `${file}.3`)).code).not.toBe(0)
    expect((await sync(file, `${fixture.direct}:${file}.4`)).code).toBe(0)
  } finally {
    await fixture.server.admin.patch(url, { actions: ['all'] })
  }
  const rows = async () => (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=2&order=-date_start')).body.results
  await expect
    .poll(async () => (await rows()).map((row: Record<string, unknown>) => [row.operate, row.filename, row.is_success]))
    .toEqual([
      ['Upload', `${file}.4`, true],
      ['Download', file, true],
    ])
})

test('a right that is withdrawn stops a running transfer within seconds, in plain words', async () => {
  const url = `/api/v1/perms/asset-permissions/${fixture.permission}/`
  const file = join(folderOf('withdrawn'), 'endless')
  const { options } = fixture.clientOptions()
  const transfer = fixture.run('bash', [
    '-c',
    `(echo C0644 1000000000000 endless; cat /dev/zero) | ssh ${options.join(' ')} ${fixture.direct} "scp -t ${file}"`,
  ])
  await expect.poll(() => existsSync(file)).toBe(true)
  await fixture.server.admin.patch(url, { actions: ['connect'] })
  try {
    const ran = await transfer
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toBe('您对该资产的授权已失效\n')
  } finally {
    await fixture.server.admin.patch(url, { actions: ['all'] })
  }
})

test('scp and sftp of today: straight to a machine, and through the tree of what was granted', async () => {
  const { options } = fixture.clientOptions()
  const folder = folderOf('sftp')
  const file = join(folder, 'data 中文')
  writeFileSync(file, randomBytes(3_000_000))
  const up = await fixture.run('scp', [...options, file, `${fixture.direct}:${folder}/up`])
  expect([up.code, up.stderr]).toEqual([0, ''])
  expect(readFileSync(join(folder, 'up')).equals(readFileSync(file))).toBe(true)
  const batch = join(folder, 'batch')
  // The system user's root is /tmp where nothing else was said (contract/assets.yaml sftp_root).
  writeFileSync(batch, `ls /\ncd /Default/web-1\nget "${folder.replace('/tmp/', '')}/up" "${folder}/down"\n`)
  const tree = await fixture.run('sftp', [...options, '-b', batch, 'walker@127.0.0.1'])
  expect([tree.code, tree.stderr]).toEqual([0, ''])
  expect(tree.stdout.toString()).toContain('Default')
})

test('Ansible: facts, a command, a file and its exit codes, over its own shared connections', async () => {
  const folder = folderOf('ansible')
  const [user, systemUser, asset] = fixture.direct.split('@')
  writeFileSync(
    join(folder, 'hosts'),
    `web ansible_host=127.0.0.1 ansible_port=${fixture.port} ansible_user=${user}@${systemUser}@${asset} ansible_python_interpreter=/usr/bin/python3\n`,
  )
  writeFileSync(
    join(folder, 'play.yml'),
    `- hosts: web
  tasks:
    - shell: echo "$((6 * 7))"
      register: said
    - assert: {that: said.stdout == "42"}
    - copy: {content: "from ansible 中文\\n", dest: "${folder}/made"}
    - command: /bin/false
      register: refused
      failed_when: refused.rc != 1
`,
  )
  const ran = await fixture.run('ansible-playbook', ['-i', join(folder, 'hosts'), join(folder, 'play.yml')], {
    environment: {
      LC_ALL: 'C.UTF-8',
      ANSIBLE_HOST_KEY_CHECKING: 'False',
      ANSIBLE_SSH_ARGS: `${fixture.clientOptions().options.join(' ')} -o ControlMaster=auto -o ControlPersist=20s`,
      ANSIBLE_SSH_CONTROL_PATH_DIR: folder,
      ANSIBLE_LOCAL_TEMP: folder,
      ANSIBLE_REMOTE_TMP: folder,
      ANSIBLE_NOCOLOR: '1',
    },
  })
  expect(ran.stdout.toString() + ran.stderr).toMatch(/ok=5 +changed=3 +unreachable=0 +failed=0/)
  expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('from ansible 中文\n')
})

test('paramiko: commands, streams, exit codes and a terminal', async () => {
  const [user, systemUser, asset] = fixture.direct.split('@')
  const script = join(folderOf('paramiko'), 'try.py')
  writeFileSync(
    script,
    `import paramiko, sys
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect('127.0.0.1', ${fixture.port}, '${user}@${systemUser}@${asset}', key_filename='${fixture.folder}/id', allow_agent=False, look_for_keys=False)
stdin, stdout, stderr = client.exec_command('cat; echo err >&2; exit 9')
stdin.write('in'); stdin.flush(); stdin.channel.shutdown_write()
print(stdout.read().decode(), stderr.read().decode().strip(), stdout.channel.recv_exit_status())
channel = client.invoke_shell(term='xterm', width=100, height=30)
channel.send('stty size; exit 5\\n')
seen = b''
while True:
    piece = channel.recv(4096)
    if not piece: break
    seen += piece
print('30 100' in seen.decode(), channel.recv_exit_status())
client.close()
`,
  )
  // Debian's interpreter: it has Debian's libraries.
  const ran = await fixture.run('/usr/bin/python3', [script])
  expect(ran.stderr).toBe('')
  expect(ran.stdout.toString()).toBe('in err 9\nTrue 5\n')
})
