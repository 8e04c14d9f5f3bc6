import { afterAll, beforeAll, expect, test } from 'vitest'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { PASSWORD } from '../../../../test/server.ts'
import { openRedisFixture, type RedisFixture } from './redis-fixture.ts'

let fixture: RedisFixture
beforeAll(async () => {
  fixture = await openRedisFixture()
})
afterAll(() => fixture?.close())

/** The same, straight and through Sallyport. */
async function both(parameters: string[], input: string | Buffer = '') {
  const direct = await fixture.cli(parameters, { direct: true, input })
  const through = await fixture.cli(parameters, { input })
  return { direct: timeless(direct), through: timeless(through) }
}

/** redis-cli says below an answer how long it took, where that was half a second or more. */
const timeless = <T extends { stdout: string }>(ran: T): T => ({
  ...ran,
  stdout: ran.stdout.replace(/^\(\d+\.\d+s\)\n/gm, ''),
})

test.for(['app', 'nameless'])('redis-cli signs in with its own password and the gateway as %s', async (account) => {
  const ran = await fixture.cli(['acl', 'whoami'], { user: `walker#gold#${account}` })
  expect(ran).toEqual({ code: 0, stdout: `${account === 'app' ? 'app' : 'default'}\n`, stderr: '' })
})

test('redis-cli answers the same through Sallyport as directly, by either version of the protocol', async () => {
  const script = [
    'flushdb',
    'set greeting "hello \\x00\\xff\\r\\n world"',
    'get greeting',
    'incr greeting',
    'rpush list a b c',
    'lrange list 0 -1',
    'hset map one 1 two 2',
    'hgetall map',
    'sadd set x y',
    'nothing to know',
    'get missing',
    "eval \"return {1, {2, 'three'}, redis.status_reply('FINE')}\" 0",
    'multi',
    'set inside 1',
    'lpush inside 2',
    'get inside',
    'exec',
    'multi',
    'bogus',
    'set never 1',
    'exec',
    'zadd scores 1.5 one',
    'zscore scores one',
    'command info get',
  ].join('\n')
  for (const options of [[], ['-3'], ['--no-raw'], ['-3', '--no-raw']]) {
    const { direct, through } = await both(options, script)
    expect(through).toEqual(direct)
    expect(direct.stdout).toContain('EXECABORT')
  }
})

test('twenty thousand commands go in by --pipe, keys are scanned, big ones are found', async () => {
  const commands = Array.from({ length: 20_000 }, (_, at) => `SET key:${at} ${at}\r\n`).join('')
  const piped = await fixture.cli(['--pipe'], { input: commands })
  expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('errors: 0, replies: 20000') })
  expect(await fixture.redis.ask('get', 'key:19999')).toBe('19999')
  const scanned = await fixture.cli(['--scan', '--pattern', 'key:1999*'])
  expect(scanned.stdout.trim().split('\n').sort()).toEqual(
    ['key:1999', ...Array.from({ length: 10 }, (_, at) => `key:1999${at}`)].sort(),
  )
  const big = await fixture.cli(['--bigkeys'])
  expect(big.stdout).toContain('Biggest string found')
})

test('a driver of Python has texts, pipelines, transactions, scripts and errors as directly', async () => {
  const program = `
import redis, os
db = redis.Redis(host='127.0.0.1', port=${fixture.port}, ssl=True, ssl_cert_reqs='none', username='walker#gold#app', password=os.environ['SECRET'], decode_responses=True)
db.set('钥匙', '值')
print(db.get('钥匙'))
pipe = db.pipeline(transaction=True)
pipe.incr('turns').incr('turns').lrange('nothing', 0, -1)
print(pipe.execute())
print(db.eval('return {KEYS[1], ARGV[1]}', 1, 'k', 'v'))
try: db.lpush('钥匙', 1)
except redis.exceptions.ResponseError as error: print(error)
`
  const ran = await runToEnd('/usr/bin/python3', ['-c', program], {
    environment: { SECRET: PASSWORD, PYTHONIOENCODING: 'utf-8' },
  })
  expect(ran).toEqual({
    code: 0,
    stdout: "值\n[1, 2, []]\n['k', 'v']\nWRONGTYPE Operation against a key holding the wrong kind of value\n",
    stderr: '',
  })
})

test('a value of some megabytes goes in and comes out as it was', async () => {
  const value = Buffer.alloc(5_000_000, 'x\r\n$5\r\n\0')
  const set = await fixture.cli(['-x', 'set', 'large'], { input: value })
  expect(set.stdout).toBe('OK\n')
  const { direct, through } = await both(['get', 'large'])
  expect(through).toEqual(direct)
  expect(direct.stdout).toHaveLength(5_000_001)
})

test('every command is a row: as redis-cli shows it, what kind of answer, how many, its error, database and program', async () => {
  const client = await fixture.raw()
  client.send('CLIENT SETNAME report\r\n')
  client.send('*3\r\n$3\r\nSET\r\n$5\r\na key\r\n$4\r\n\x00"\r\n\r\n')
  client.send('RPUSH numbers 1 2 3\r\nLRANGE numbers 0 -1\r\nINCR numbers\r\nSELECT 2\r\nGET 钥匙\r\nQUIT\r\n')
  await client.closed
  const stored = async () =>
    (
      await fixture.server.kernel.pool.query(
        `SELECT c.input, c.output, s.rows::int, s.code, s.database FROM terminal_command c
         JOIN terminal_statement s ON s.command = c.id WHERE s.program = 'report' ORDER BY c.id`,
      )
    ).rows
  await expect.poll(stored).toHaveLength(8)
  expect((await stored()).map((row) => Object.values(row))).toEqual([
    ['CLIENT SETNAME report', 'OK', null, null, '0'],
    ['SET "a key" "\\x00\\"\\r\\n"', 'OK', null, null, '0'],
    ['RPUSH numbers 1 2 3', 'integer', null, null, '0'],
    ['LRANGE numbers 0 -1', 'array of 3', 3, null, '0'],
    ['INCR numbers', expect.stringContaining('wrong kind of value'), null, 'WRONGTYPE', '0'],
    ['SELECT 2', 'OK', null, null, '2'],
    ['GET 钥匙', 'nil', null, null, '2'],
    ['QUIT', 'OK', null, null, '2'],
  ])
})

test('messages come while nothing is asked, and commands about them keep their answers', async () => {
  const client = await fixture.raw()
  client.send('SUBSCRIBE one two\r\nPSUBSCRIBE t*\r\n')
  await expect.poll(client.received).toContain('psubscribe')
  await fixture.redis.ask('publish', 'two', 'hello')
  await expect.poll(client.received).toContain('hello')
  client.send('UNSUBSCRIBE\r\nPUNSUBSCRIBE\r\nPING\r\n')
  await expect.poll(client.received).toContain('PONG')
  client.socket.destroy()
  const rows = async () =>
    (
      await fixture.server.kernel.pool.query(
        "SELECT input, output FROM terminal_command WHERE input ~ '^(P?(UN)?SUBSCRIBE|PING)' ORDER BY id DESC LIMIT 5",
      )
    ).rows.map(({ input, output }) => `${input}: ${output}`)
  await expect
    .poll(rows)
    .toEqual([
      'PING: PONG',
      'PUNSUBSCRIBE: status',
      'UNSUBSCRIBE: status',
      'PSUBSCRIBE t*: status',
      'SUBSCRIBE one two: status',
    ])
})

test('an answer that looks like a message is the answer to its command, where messages are of a type of their own', async () => {
  const client = await fixture.raw()
  client.send(
    'HELLO 3\r\nSUBSCRIBE three\r\nRPUSH letters message a\r\nLRANGE letters 0 -1\r\nSTRLEN letters\r\nPING\r\n',
  )
  await expect.poll(client.received).toContain('PONG')
  client.socket.destroy()
  const rows = async () =>
    (
      await fixture.server.kernel.pool.query(
        "SELECT c.input, s.code FROM terminal_command c JOIN terminal_statement s ON s.command = c.id WHERE c.input ~ 'letters' ORDER BY c.id",
      )
    ).rows.map(({ input, code }) => [input, code])
  await expect.poll(rows).toEqual([
    ['RPUSH letters message a', null],
    ['LRANGE letters 0 -1', null],
    ['STRLEN letters', 'WRONGTYPE'],
  ])
})

test('a token lets its client in as user name or in place of the password, and not once it is revoked', async () => {
  const token = await fixture.token()
  expect((await fixture.cli(['ping'], { user: token, password: 'any' })).stdout).toBe('PONG\n')
  const alone = await fixture.raw(`AUTH ${token}\r\nACL WHOAMI\r\nQUIT\r\n`)
  await alone.closed
  expect(alone.received()).toBe('+OK\r\n$3\r\napp\r\n+OK\r\n')
  await fixture.server.kernel.pool.query('DELETE FROM authentication_connection_token WHERE user_id = $1', [
    fixture.person.id,
  ])
  const refused = await fixture.raw(`AUTH ${token}\r\n`)
  await refused.closed
  expect(refused.received()).toMatch(/^-NOAUTH .*unknown, has expired/)
})

test('a person without permission is refused in words, and nothing reaches the server', async () => {
  const refused = async (login: string) => {
    const client = await fixture.raw(login)
    await client.closed
    return client.received()
  }
  expect(await refused(`AUTH ${'walker#gold#app'} wrong\r\n`)).toContain('incorrect')
  expect(await refused(`AUTH walker ${PASSWORD}\r\n`)).toContain('person#application#account')
  expect(await refused(`HELLO 3 AUTH walker#gold#nobody ${PASSWORD}\r\n`)).toContain('You were granted no system user')
  expect(await refused(`AUTH walker#gold#wrong ${PASSWORD}\r\n`)).toContain('refused the username or the password')
})

test('before the sign-in only PING, HELLO, AUTH and QUIT are answered', async () => {
  const client = await fixture.raw('PING\r\nPING hi\r\nGET key:1\r\nHELLO 3\r\nHELLO 4\r\nCLIENT LIST\r\n\r\nQUIT\r\n')
  await client.closed
  expect(
    client
      .received()
      .split('\r\n')
      .map((line) => line.split(' ')[0]),
  ).toEqual([...['+PONG', '$2', 'hi', '-NOAUTH', '-NOAUTH', '-NOPROTO', '-NOAUTH', '+OK', '']])
})

test('a denied command has its error in its place, in a pipeline and in a transaction, which is then aborted', async () => {
  const filter = await fixture.created('/api/v1/assets/cmd-filters/', { name: 'no flush', users: [fixture.person.id] })
  await fixture.created(`/api/v1/assets/cmd-filters/${filter}/rules/`, {
    filter,
    type: 'regex',
    content: 'flushall|redis\\.call\\(.DEL',
    ignore_case: true,
  })
  const client = await fixture.raw()
  client.send('SET kept 1\r\nFLUSHALL\r\nGET kept\r\n"\\x46lushall" async\r\n')
  const script = 'return\nredis.call("DEL", "kept")'
  client.send(`*3\r\n$4\r\nEVAL\r\n$${script.length}\r\n${script}\r\n$1\r\n0\r\n`)
  client.send('MULTI\r\nSET kept 2\r\nFLUSHALL\r\nEXEC\r\nGET kept\r\nQUIT\r\n')
  await client.closed
  expect(client.received().split('\r\n')).toEqual([
    ...['+OK', '+OK', '-NOPERM Command `FLUSHALL` is forbidden', '$1', '1'],
    '-NOPERM Command `Flushall` is forbidden',
    expect.stringMatching(/^-NOPERM Command `redis\.call\("DEL/),
    ...['+OK', '+QUEUED', '-NOPERM Command `FLUSHALL` is forbidden'],
    expect.stringMatching(/^-EXECABORT/),
    ...['$1', '1', '+OK', ''],
  ])
  const cli = await fixture.cli(['flushall'])
  expect(cli.stdout).toBe('NOPERM Command `flushall` is forbidden\n\n')
  await fixture.server.admin.delete(`/api/v1/assets/cmd-filters/${filter}/`)
})

test.for([
  ['MONITOR', 'What others do'],
  ['SCRIPT DEBUG SYNC', 'cannot be debugged'],
  ['SYNC', 'Replication'],
  ['PSYNC ? -1', 'Replication'],
  ['REPLICAOF no one', 'Replication'],
  ['CLIENT KILL TYPE normal', 'What others do'],
  ['CLIENT REPLY OFF', 'must have its answer'],
  ['AUTH app other', 'settled when you connect'],
  ['HELLO 3 AUTH app other', 'settled when you connect'],
  ['RESET', 'settled when you connect'],
])('%s is refused whatever the rules say, and the connection goes on', async ([command, words]) => {
  const client = await fixture.raw()
  client.send(`${command}\r\nPING\r\nMULTI\r\nSUBSCRIBE a\r\nHello 2\r\nEXEC\r\nQUIT\r\n`)
  await client.closed
  expect(client.received().split('\r\n')).toEqual([
    ...['+OK', expect.stringContaining(words as string), '+PONG', '+OK'],
    ...['Messages cannot be asked for', 'The version of the protocol cannot be changed'].map((what) =>
      expect.stringContaining(`${what} in a transaction`),
    ),
    ...[expect.stringMatching(/^-EXECABORT/), '+OK', ''],
  ])
  const { rows } = await fixture.server.kernel.pool.query(
    'SELECT count(*)::int FROM terminal_command WHERE input ~ $1',
    ['other'],
  )
  expect(rows).toEqual([{ count: 0 }])
})
