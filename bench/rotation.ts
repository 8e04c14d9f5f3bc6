/**
 * New passwords on many machines: a change-auth plan over SSH, against OpenSSH's own client doing the same, as many at a
 * time, turn by turn in the same run: `chpasswd` as root, then a login of its own with the new password. Sallyport
 * stores each secret before it is sent, proves it, and writes down every step besides. Each machine is an sshd with its
 * own accounts. Needs root, for those machines.
 *
 *   node_modules/.bin/node bench/rotation.ts        # BENCH_HOSTS=20 BENCH_ROUNDS=3
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMachine } from '../apps/server/src/domains/accounts/rotation/machine-fixture.ts'
import { openLicense } from '../apps/server/src/domains/xpack/license.ts'
import { keepRatio, median } from './figures.ts'
import { openInstallation, PASSWORD } from './installation.ts'

const HOSTS = Number(process.env.BENCH_HOSTS ?? 20)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** Machines of one run at a time, which OpenSSH gets as well. */
const AT_ONCE = 5
/** At least as many a minute. */
const AIM = 1
const USERNAME = 'deploy'

const { server, directory, close } = await openInstallation()
const machines = await Promise.all(Array.from({ length: HOSTS }, startMachine))
let token = ''
// biome-ignore lint/suspicious/noExplicitAny: answers of many resources
async function call(method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const output = await answer.json()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(output)}`)
  return output
}

/** Seconds of a run, from asking for it to its end. */
async function sallyport(plan: string): Promise<number> {
  const begun = performance.now()
  const { task } = await call('POST', '/api/v1/xpack/change-auth-plan/plan-execution/', { plan })
  for (;;) {
    const { is_finished, result_summary } = await call('GET', `/api/v1/xpack/change-auth-plan/plan-execution/${task}/`)
    if (!is_finished) {
      await new Promise((resolve) => setTimeout(resolve, 50))
      continue
    }
    if (result_summary.succeed !== HOSTS) throw new Error(`not all were changed: ${JSON.stringify(result_summary)}`)
    return (performance.now() - begun) / 1000
  }
}

/** Seconds of the same by hand. Its arguments: port and the file with root's key. */
const BY_HAND = `
shared="-o LogLevel=ERROR -o StrictHostKeyChecking=accept-new -o UserKnownHostsFile=$1/known"
export WORD=$(head -c 15 /dev/urandom | base64) SSH_ASKPASS=$1/ask SSH_ASKPASS_REQUIRE=force
printf '%s:%s\\n' ${USERNAME} "$WORD" | ssh $shared -p $2 -i $1/key-$2 -o BatchMode=yes -o IdentitiesOnly=yes root@127.0.0.1 chpasswd &&
ssh -n $shared -p $2 -o PubkeyAuthentication=no -o PreferredAuthentications=password ${USERNAME}@127.0.0.1 true && echo changed`

function openssh(): Promise<number> {
  const begun = performance.now()
  const child = spawn('xargs', ['-P', String(AT_ONCE), '-n', '1', 'sh', '-c', BY_HAND, 'sh', directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(machines.map(({ port }) => port).join('\n'))
  let printed = ''
  child.stdout.on('data', (piece: Buffer) => {
    printed += piece
  })
  return new Promise((resolve, reject) =>
    child.on('close', () => {
      const changed = printed.trim().split('\n').length
      if (changed === HOSTS) resolve((performance.now() - begun) / 1000)
      else reject(new Error(`${changed} machines were changed by hand: ${printed}`))
    }),
  )
}

try {
  ;(await openLicense(server.kernel)).isValid = () => true
  writeFileSync(join(directory, 'ask'), '#!/bin/sh\nprintf "%s\\n" "$WORD"\n', { mode: 0o700 })
  token = (await call('POST', '/api/v1/authentication/tokens/', { username: 'admin', password: PASSWORD })).token
  const assets: string[] = []
  for (const [n, { port, privateKey, addAccount }] of machines.entries()) {
    addAccount(USERNAME, randomBytes(12).toString('hex'))
    writeFileSync(join(directory, `key-${port}`), privateKey, { mode: 0o600 })
    const root = { name: `root-${n}`, username: 'root', private_key: privateKey, type: 'admin' }
    const admin_user = (await call('POST', '/api/v1/assets/system-users/', root)).id
    const where = { hostname: `host-${n}`, ip: '127.0.0.1', platform: 'Linux', protocols: [`ssh/${port}`], admin_user }
    assets.push((await call('POST', '/api/v1/assets/assets/', where)).id)
  }
  const plan = await call('POST', '/api/v1/xpack/change-auth-plan/plan/', {
    ...{ name: 'bench', username: USERNAME, assets, is_periodic: false },
    ...{ is_password: true, password_strategy: 'random_all', password_rules: { length: 20 } },
  })
  const seconds = { openssh: [] as number[], sallyport: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    seconds.openssh.push(await openssh())
    seconds.sallyport.push(await sallyport(plan.id))
  }
  const [theirs, ours] = [seconds.openssh, seconds.sallyport].map((some) => (HOSTS * 60) / median(some)) as [
    number,
    number,
  ]
  console.log(`new passwords on ${HOSTS} machines, ${AT_ONCE} at a time, median of ${ROUNDS}`)
  console.log(`  Sallyport   ${ours.toFixed(0).padStart(5)} machines a minute`)
  console.log(`  OpenSSH     ${theirs.toFixed(0).padStart(5)} machines a minute`)
  console.log(`  ratio ${(ours / theirs).toFixed(2)} (aim: at least ${AIM})`)
  keepRatio('of OpenSSH', ours / theirs, 'more')
  if (ours / theirs < AIM) process.exitCode = 1
} finally {
  await Promise.all(machines.map((one) => one.close()))
  await close()
}
