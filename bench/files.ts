/**
 * Many small files through the gateway: 1,000 files of 1 kB in ten folders, brought and taken by
 * OpenSSH's own `sftp` and `scp -r` and by `lftp mirror`, straight to an sshd, through a bare hop
 * (`bare-hop.ts`) and through Sallyport (rights asked, every file in the FTP log), turn by turn in
 * the same run. A ratio of 1 against direct would be free; the hop says what the machine allows.
 *
 *   node_modules/.bin/node bench/files.ts [words of the names]     # BENCH_FILES=1000 BENCH_ROUNDS=5
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSshFixture } from '../apps/server/src/gateway/listeners/ssh/ssh-fixture.ts'
import { startEmbeddedPostgres } from '../apps/server/src/kernel/database/embedded.ts'
import { openBareHop } from './bare-hop.ts'
import { keepRatio, median } from './figures.ts'

const FILES = Number(process.env.BENCH_FILES ?? 1000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Rounds before those that count: a gateway has been running for a long time. */
const WARM_UP = 2
const FOLDERS = 10
/** Slower than direct by no more than half. */
const AIM = 1.5

const directory = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres'), log: () => {} })
const fixture = await openSshFixture({}, { connection: postgres.connection, drop: async () => {} })
const { sshd, folder, port, direct } = fixture
const key = join(folder, 'target')
writeFileSync(key, sshd.privateKey, { mode: 0o600 })
const config = join(folder, 'config')
const hop = await openBareHop(sshd)
const hosts = {
  direct: { user: sshd.username, port: sshd.port, key },
  hop: { user: sshd.username, port: hop.port, key },
  Sallyport: { user: direct.slice(0, direct.lastIndexOf('@')), port, key: join(folder, 'id') },
}
type Way = keyof typeof hosts
writeFileSync(
  config,
  Object.entries(hosts)
    .map(
      ([name, host]) =>
        `Host ${name}\n  HostName 127.0.0.1\n  Port ${host.port}\n  IdentityFile ${host.key}\n  User ${host.user}\n` +
        `  UserKnownHostsFile ${join(folder, 'known')}\n  StrictHostKeyChecking accept-new\n` +
        '  LogLevel ERROR\n  BatchMode yes\n  IdentitiesOnly yes\n',
    )
    .join(''),
)

const source = join(directory, 'source')
for (let n = 0; n < FILES; n++) {
  const place = join(source, `folder-${n % FOLDERS}`)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, `file-${n}`), `${n} `.repeat(200))
}
/** Where the files arrive, on whichever side. */
const arrived = join(directory, 'arrived')

const sftp = (way: Way, commands: string) =>
  `printf '%s\\n' '${commands}' | sftp -q -F ${config} -b - ${way} >/dev/null`
const lftp = (way: Way, command: string) =>
  `lftp -c "set sftp:connect-program 'ssh -a -x -F ${config}'; open sftp://${way}; ${command}"`

/** Lines of a shell; each leaves a copy of `source` at `arrived`. */
const TRANSFERS: Record<string, (way: Way) => string> = {
  'sftp put -r': (way) => sftp(way, `put -r ${source} ${arrived}`),
  'sftp get -r': (way) => sftp(way, `get -r ${source} ${arrived}`),
  'scp -r, up': (way) => `scp -q -r -F ${config} ${source} ${way}:${arrived}`,
  'scp -r, down': (way) => `scp -q -r -F ${config} ${way}:${source} ${arrived}`,
  'lftp mirror -R': (way) => lftp(way, `mirror -R ${source} ${arrived}`),
  'lftp mirror': (way) => lftp(way, `mirror ${source} ${arrived}`),
}

/**
 * Seconds until the line has ended, and of those of this process, which is hop and server, on a
 * processor; throws when it failed or files are missing.
 */
async function timed(line: string): Promise<{ seconds: number; processor: number }> {
  rmSync(arrived, { recursive: true, force: true })
  const started = performance.now()
  const usage = process.cpuUsage()
  const code = await new Promise<number | null>((resolve, reject) => {
    const child = spawn('bash', ['-c', line], { stdio: ['ignore', 'inherit', 'inherit'] })
    child.on('error', reject)
    child.on('close', resolve)
  })
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(usage)
  if (code) throw new Error(`${line} ended with ${code}`)
  for (const place of readdirSync(source))
    for (const name of readdirSync(join(source, place)))
      if (!readFileSync(join(source, place, name)).equals(readFileSync(join(arrived, place, name))))
        throw new Error(`${line}: ${name} differs`)
  return { seconds, processor: (user + system) / 1e6 }
}

const named = process.argv.slice(2)
const logged = async () =>
  (await fixture.server.admin.get('/api/v1/audits/ftp-logs/?limit=1&offset=0')).body.count as number

try {
  console.log(`${FILES} files of up to 1 kB, median of ${ROUNDS}`)
  for (const [name, line] of Object.entries(TRANSFERS)) {
    if (named.length && !named.some((word) => name.includes(word))) continue
    if (name.startsWith('lftp') && spawnSync('lftp', ['--version']).error) {
      console.log(`${name.padEnd(16)} skipped: install the Debian package lftp`)
      continue
    }
    const seconds: Record<Way, number[]> = { direct: [], hop: [], Sallyport: [] }
    const processor: Record<Way, number[]> = { direct: [], hop: [], Sallyport: [] }
    const before = await logged()
    for (let round = -WARM_UP; round < ROUNDS; round++)
      for (const way of ['direct', 'hop', 'Sallyport'] as const) {
        const took = await timed(line(way))
        if (round < 0) continue
        seconds[way].push(took.seconds)
        processor[way].push(took.processor)
      }
    // Each round for itself: other work of the machine concerns its neighbors alike.
    const ratioOf = (way: Way) => median(seconds[way].map((taken, n) => taken / (seconds.direct[n] ?? Number.NaN)))
    const ratio = ratioOf('Sallyport')
    const shown = (way: Way) => `${way} ${median(seconds[way]).toFixed(2)} s`
    console.log(
      `${name.padEnd(16)} ${shown('direct')}  ${shown('hop')}, ratio ${ratioOf('hop').toFixed(2)}  ` +
        `${shown('Sallyport')}, ratio ${ratio.toFixed(2)} (aim ${AIM})  ` +
        `processor of hop ${median(processor.hop).toFixed(2)} s, of Sallyport ${median(processor.Sallyport).toFixed(2)} s`,
    )
    // They reach the database in batches, the last ones after the client has left.
    const wanted = FILES * (WARM_UP + ROUNDS)
    let rows = 0
    for (let tries = 0; tries < 50 && rows < wanted; tries++) {
      await wait(100)
      rows = (await logged()) - before
    }
    if (rows < wanted) throw new Error(`${name}: only ${rows} rows were logged`)
    keepRatio(`${name}, of direct`, ratio, 'less')
    if (ratio > AIM) process.exitCode = 1
  }
} finally {
  hop.close()
  await fixture.close()
  await postgres.stop()
  await rm(directory, { recursive: true, force: true })
}
