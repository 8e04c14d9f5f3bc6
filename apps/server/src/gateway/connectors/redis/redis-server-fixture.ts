/** A real Redis of the system's packages, with an account that has a name and one that has none. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '../../../../test/free-port.ts'
import { runToEnd } from '../../../../test/run-to-end.ts'
import { makeServerCertificate } from '../../../kernel/nodes/certificate.ts'

export const SECRET = 'word-of-the-account'

export interface RedisServer {
  port: number
  /** Straight to it; answers what `redis-cli` prints. */
  ask(...command: string[]): Promise<string>
  close(): Promise<void>
}

/** `tls`: whether it speaks TLS alone, with a key that it makes at each start, or none. */
export async function startRedis({ tls = false, port }: { tls?: boolean; port?: number } = {}): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-redis-'))
  const at = port ?? (await freePort())
  const { certificate, privateKey } = makeServerCertificate()
  writeFileSync(join(folder, 'server.crt'), certificate)
  writeFileSync(join(folder, 'server.key'), privateKey)
  const lines = [
    'bind 127.0.0.1',
    'save ""',
    `dir ${folder}`,
    `requirepass ${SECRET}`,
    `user app on >${SECRET} ~* &* +@all`,
    ...(tls
      ? ['port 0', `tls-port ${at}`, `tls-cert-file ${folder}/server.crt`, `tls-key-file ${folder}/server.key`]
      : [`port ${at}`]),
    ...(tls ? ['tls-auth-clients no'] : []),
  ]
  writeFileSync(join(folder, 'redis.conf'), `${lines.join('\n')}\n`)
  const server = spawn('redis-server', [join(folder, 'redis.conf')], { stdio: 'ignore' })
  const cli = ['-p', String(at), '--no-auth-warning', '-a', SECRET, ...(tls ? ['--tls', '--insecure'] : [])]
  const ask = async (...command: string[]) => (await runToEnd('redis-cli', [...cli, ...command])).stdout.trimEnd()
  for (let tries = 0; (await ask('ping')) !== 'PONG'; tries++) {
    if (tries > 100) throw new Error('Redis does not start')
    await setTimeout(50)
  }
  return {
    port: at,
    ask,
    async close() {
      if (server.exitCode === null && server.signalCode === null) {
        const gone = new Promise((resolve) => server.once('exit', resolve))
        server.kill()
        await gone
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
