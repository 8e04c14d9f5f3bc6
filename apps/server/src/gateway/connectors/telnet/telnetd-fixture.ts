/**
 * A real telnetd on a free port of this machine, with a login program of our own, so that it needs
 * no account of the system.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Telnetd {
  port: number
  username: string
  password: string
  close(): Promise<void>
}

export interface TelnetdOptions {
  /** The login program's prompt for the name. */
  askName?: string
  askPassword?: string
  /** Program behind the right password; bash by default. */
  shell?: string
}

const PASSWORD = 'pass $word#1'

export async function startTelnetd({
  askName = 'box login: ',
  askPassword = 'Password: ',
  shell = `echo 'Last login: yesterday'; env -u PROMPT_COMMAND PS1='ops@box$ ' bash --norc --noprofile -i`,
}: TelnetdOptions = {}): Promise<Telnetd> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-telnetd-'))
  const login = join(folder, 'login')
  // telnetd throws away what a program wrote just before it ended, if it has not been read by then.
  writeFileSync(
    login,
    `#!/bin/bash
printf '%s' '${askName}'; IFS= read -r name
printf '%s' '${askPassword}'; stty -echo; IFS= read -r secret; stty echo; printf '\\n'
if [ "$name" = ops ] && [ "$secret" = '${PASSWORD}' ]; then cd ${folder}; ${shell}; sleep 0.5; exit; fi
echo 'Login incorrect'; exec "$0"
`,
    { mode: 0o755 },
  )
  const running = new Set<ChildProcess>()
  // Not read here: all bytes of the connection are telnetd's.
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    const child = spawn('/usr/sbin/telnetd', ['-h', '-E', login], { stdio: [socket, socket, 'ignore'] })
    running.add(child)
    child.once('exit', () => running.delete(child))
    socket.destroy()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    port: (server.address() as { port: number }).port,
    username: 'ops',
    password: PASSWORD,
    async close() {
      for (const child of running) child.kill('SIGKILL')
      await new Promise((closed) => server.close(closed))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
