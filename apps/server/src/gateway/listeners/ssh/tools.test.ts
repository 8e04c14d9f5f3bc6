/** Tools of people and machines, unchanged, through the SSH entry. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSshFixture, PASSWORD, type SshFixture } from './ssh-fixture.ts'

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
    for (const up of [
      await copy(file, `${fixture.direct}:${file}.1`),
      await sync(file, `${fixture.direct}:${file}.1`),
    ]) {
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
  const rows = async () =>
    (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=2&order=-date_start')).body.results
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
    expect(ran.stderr).toBe('Your permission for this asset has ended\n')
  } finally {
    await fixture.server.admin.patch(url, { actions: ['all'] })
  }
})

test('scp and sftp of today: straight to a machine, and through the tree of what was granted', async ({
  onTestFinished,
}) => {
  const { options } = fixture.clientOptions()
  const folder = folderOf('sftp')
  const file = join(folder, 'data 中文')
  writeFileSync(file, randomBytes(3_000_000))
  // The system user's root is /tmp where nothing else was said (docs/rules/assets.md#system_user).
  const there = mkdtempSync('/tmp/sallyport-there-')
  onTestFinished(() => rmSync(there, { recursive: true }))
  const up = await fixture.run('scp', [...options, file, `${fixture.direct}:${there}/up`])
  expect([up.code, up.stderr]).toEqual([0, ''])
  expect(readFileSync(join(there, 'up')).equals(readFileSync(file))).toBe(true)
  const batch = join(folder, 'batch')
  writeFileSync(batch, `ls /\ncd /Default/web-1\nget "${basename(there)}/up" "${folder}/down"\n`)
  const tree = await fixture.run('sftp', [...options, '-b', batch, 'walker@127.0.0.1'])
  expect([tree.code, tree.stderr]).toEqual([0, ''])
  expect(tree.stdout.toString()).toContain('Default')
  expect(readFileSync(join(folder, 'down')).equals(readFileSync(file))).toBe(true)
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
      register: output
    - assert: {that: output.stdout == "42"}
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

test('git: a clone and a push', async () => {
  const folder = folderOf('git')
  const git = (...words: string[]) =>
    fixture.run('git', ['-c', 'user.name=walker', '-c', 'user.email=walker@example.org', ...words], {
      environment: { GIT_SSH_COMMAND: `${shell} -l ${fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))}` },
    })
  await git('init', '-q', '--bare', `${folder}/origin`)
  const cloned = await git('clone', '-q', `ssh://127.0.0.1${folder}/origin`, `${folder}/work`)
  expect(cloned.code, cloned.stderr).toBe(0)
  await git('-C', `${folder}/work`, 'commit', '-q', '--allow-empty', '-m', 'through the gateway')
  const pushed = await git('-C', `${folder}/work`, 'push', '-q', 'origin', 'HEAD:main')
  expect(pushed.code, pushed.stderr).toBe(0)
  const { stdout } = await git('-C', `${folder}/origin`, 'log', '--format=%s', 'main')
  expect(stdout.toString()).toBe('through the gateway\n')
})

test('paramiko: commands, streams, exit codes and a terminal; a channel runs one program, and the connection goes on', async () => {
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
channel = client.get_transport().open_session()
channel.exec_command('sleep 5')
try: channel.exec_command('true')
except paramiko.SSHException as refused: print(refused)
print(client.exec_command('echo on')[1].read().decode().strip())
client.close()
`,
  )
  // Debian's interpreter: it has Debian's libraries.
  const ran = await fixture.run('/usr/bin/python3', [script])
  expect(ran.stderr).toBe('')
  expect(ran.stdout.toString()).toBe('in err 9\nTrue 5\nChannel closed.\non\n')
})

test('PuTTY’s programs: a command with its exit code and both streams, and files by psftp', async () => {
  const folder = folderOf('putty')
  const key = join(folder, 'id.ppk')
  execFileSync('puttygen', [join(fixture.folder, 'id'), '-O', 'private', '-o', key])
  // PuTTY keeps the host keys that it knows in the home directory; here it gets the one to expect.
  const scanned = await fixture.run('ssh-keyscan', ['-p', String(fixture.port), '-t', 'ed25519', '127.0.0.1'])
  const known = execFileSync('ssh-keygen', ['-l', '-f', '-'], { input: scanned.stdout }).toString().split(' ')[1] ?? ''
  const login = fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))
  const words = ['-batch', '-P', String(fixture.port), '-l', login, '-i', key, '-hostkey', known]

  const ran = await fixture.run('plink', ['-T', ...words, '127.0.0.1', 'cat; echo err >&2; exit 9'], { input: '输入' })
  expect([ran.code, ran.stdout.toString(), ran.stderr]).toEqual([9, '输入', 'err\n'])

  const bytes = randomBytes(1_000_000)
  writeFileSync(join(folder, 'data'), bytes)
  const batch = join(folder, 'batch')
  writeFileSync(batch, `put ${folder}/data ${folder}/sent\nget ${folder}/sent ${folder}/back\nquit\n`)
  const copied = await fixture.run('psftp', [...words, '127.0.0.1', '-b', batch])
  expect(copied.code, copied.stderr).toBe(0)
  expect(readFileSync(join(folder, 'back')).equals(bytes)).toBe(true)
})

test('libssh2, as curl uses it: a file up and down', async () => {
  const folder = folderOf('curl')
  const bytes = randomBytes(1_000_000)
  writeFileSync(join(folder, 'data'), bytes)
  const login = fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))
  const words = [
    '-sS',
    '--insecure',
    '--user',
    `${login}:`,
    '--key',
    join(fixture.folder, 'id'),
    '--pubkey',
    join(fixture.folder, 'id.pub'),
  ]
  const url = `sftp://127.0.0.1:${fixture.port}${folder}`
  const up = await fixture.run('curl', [...words, '-T', join(folder, 'data'), `${url}/sent`])
  expect([up.code, up.stderr]).toEqual([0, ''])
  const down = await fixture.run('curl', [...words, `${url}/sent`])
  expect([down.code, down.stderr, down.stdout.equals(bytes)]).toEqual([0, '', true])
})

test('libssh: a command with its exit code', async () => {
  const script = join(folderOf('libssh'), 'try.py')
  const login = fixture.direct.slice(0, fixture.direct.lastIndexOf('@'))
  // The options are of its enumeration ssh_options_e: host 0, port 1, user 4.
  writeFileSync(
    script,
    `import ctypes
lib = ctypes.CDLL('libssh.so.4')
for name in ('ssh_new', 'ssh_channel_new'): getattr(lib, name).restype = ctypes.c_void_p
lib.ssh_get_error.restype = ctypes.c_char_p
session = ctypes.c_void_p(lib.ssh_new())
lib.ssh_options_set(session, 0, b'127.0.0.1')
lib.ssh_options_set(session, 1, ctypes.byref(ctypes.c_uint(${fixture.port})))
lib.ssh_options_set(session, 4, b'${login}')
def check(answer):
    if answer != 0: raise SystemExit(lib.ssh_get_error(session).decode())
check(lib.ssh_connect(session))
key = ctypes.c_void_p()
check(lib.ssh_pki_import_privkey_file(b'${fixture.folder}/id', None, None, None, ctypes.byref(key)))
check(lib.ssh_userauth_publickey(session, None, key))
channel = ctypes.c_void_p(lib.ssh_channel_new(session))
check(lib.ssh_channel_open_session(channel))
check(lib.ssh_channel_request_exec(channel, b'echo from libssh; exit 7'))
buffer = ctypes.create_string_buffer(4096)
output = b''
while (length := lib.ssh_channel_read(channel, buffer, 4096, 0)) > 0: output += buffer.raw[:length]
print(output.decode().strip(), lib.ssh_channel_get_exit_status(channel))
`,
  )
  const ran = await fixture.run('/usr/bin/python3', [script])
  expect([ran.stdout.toString(), ran.stderr]).toEqual(['from libssh 7\n', ''])
})

test('Dropbear’s client, which guesses the key exchange and sends its first packet along', async () => {
  const { port, direct, folder } = fixture
  const user = direct.slice(0, direct.lastIndexOf('@'))
  const ran = await fixture.run(
    'dbclient',
    ['-y', '-y', '-T', '-p', String(port), '-l', user, '127.0.0.1', 'cat; exit 3'],
    {
      input: 'through',
      environment: { DROPBEAR_PASSWORD: PASSWORD, HOME: folder },
    },
  )
  expect(ran).toMatchObject({ code: 3, stdout: Buffer.from('through') })
})
