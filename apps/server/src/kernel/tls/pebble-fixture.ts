/** Pebble, Let's Encrypt's authority for tests, as Debian has it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import { freePort } from '../../../test/free-port.ts'
import type { Authority } from './authority-fixture.ts'

export const directoryAt = (port: number) => `https://127.0.0.1:${port}/dir`

export interface Pebble {
  /** Root of the certificates that it makes; another one at each start. */
  root: string
  close(): Promise<void>
}

/**
 * Starts it at a port with the certificate of an authority, which must be trusted already. It looks at
 * names at these ports, instead of 80 and 443.
 */
export async function startPebble(
  authority: Authority,
  { port, http, tls }: { port: number; http: number; tls: number },
): Promise<Pebble> {
  const management = await freePort()
  const { certificate, key } = authority.issue('pebble', ['localhost', '127.0.0.1'])
  const file = join(authority.folder, `pebble-${port}.json`)
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${management}`,
    certificate,
    privateKey: key,
    httpPort: http,
    tlsPort: tls,
    ocspResponderURL: '',
    externalAccountBindingRequired: false,
  }
  writeFileSync(file, JSON.stringify({ pebble }))
  const running = spawn('/usr/bin/pebble', ['-config', file, '-strict=false'], {
    env: { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(running, 'exit')
  running.stdout.resume()
  const asked = () => Promise.all([fetch(`https://127.0.0.1:${management}/roots/0`), fetch(directoryAt(port))])
  const [answer] = await vi.waitFor(asked, { timeout: 120_000 })
  return {
    root: await answer.text(),
    async close() {
      running.kill()
      await ended
    },
  }
}
