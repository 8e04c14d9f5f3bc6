/**
 * A real RADIUS server (Debian's freeradius) on a free port of this machine, with its files in a
 * temporary folder.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../../../../test/free-port.ts'

export interface FreeRadius {
  port: number
  secret: string
  close(): Promise<void>
}

/**
 * @param people passwords by name
 * @param classes what the server says of some of them
 */
export async function startFreeRadius(
  people: Readonly<Record<string, string>>,
  secret = 'Radius-secret-1',
  classes: Readonly<Record<string, readonly string[]>> = {},
): Promise<FreeRadius> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-radius-'))
  const port = await freePort()
  writeFileSync(join(folder, 'dictionary'), '')
  writeFileSync(
    join(folder, 'users'),
    Object.entries(people)
      .map(
        ([name, password]) =>
          `"${name}" Cleartext-Password := "${password}"\n${(classes[name] ?? []).map((one) => `\tClass += "${one}"`).join(',\n')}\n`,
      )
      .join('\n'),
  )
  writeFileSync(
    join(folder, 'radiusd.conf'),
    `prefix = /usr
libdir = /usr/lib/freeradius
raddbdir = ${folder}
run_dir = ${folder}
log { destination = stdout }
client tests {
  ipaddr = 127.0.0.1
  secret = "${secret}"
  require_message_authenticator = yes
}
modules {
  pap { }
  files { usersfile = ${folder}/users }
}
server default {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = ${port}
  }
  authorize {
    files
    pap
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
  }
}
`,
  )
  const server = spawn('/usr/sbin/freeradius', ['-f', '-l', 'stdout', '-d', folder, '-n', 'radiusd'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`freeradius ended with ${code}:\n${output}`)))
    createInterface({ input: server.stdout }).on('line', (line) => {
      output += `${line}\n`
      if (line.includes('Ready to process requests')) resolve()
    })
  })
  return {
    port,
    secret,
    close: () =>
      new Promise((resolve) => {
        server.removeAllListeners('exit')
        server.once('exit', () => {
          rmSync(folder, { recursive: true, force: true })
          resolve()
        })
        server.kill('SIGTERM')
      }),
  }
}
