/**
 * OpenSSH's server on Windows, for tests: a real SSH server that gives each command to cmd as Windows does
 * (`cmd.exe /c`), or to PowerShell (`powershell.exe -c`) where an administrator chose that (`DefaultShell`). cmd
 * reads the first line alone, quotes with `"` alone and divides commands by `&` and `&&`; PowerShell takes `;`. Of
 * what they run they know `echo`, `cd` and `exit`; lines end in CR LF. No real Windows was at hand.
 */
import { createServer, type Socket } from 'node:net'
import { Server, utils } from '../../kernel/ssh/ssh2/index.ts'

export interface WindowsShell {
  port: number
  /** Commands to run, each as it came. */
  commands: string[]
  /** How many have logged in. */
  logins(): number
  /** Ends the connection instead of running that. */
  dropsAt: string | undefined
  close(): Promise<void>
}

export async function startWindowsShell(
  login: { username: string; password: string },
  shell: 'cmd' | 'powershell' = 'cmd',
): Promise<WindowsShell> {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  let logins = 0
  const settings: Pick<WindowsShell, 'dropsAt'> = { dropsAt: undefined }
  const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {})
    client.on('ready', () => logins++)
    client.on('authentication', (context) => {
      const isRight = context.method === 'password' && context.password === login.password
      if (isRight && context.username === login.username) context.accept()
      else context.reject(['password'])
    })
    client.on('session', (accept) => {
      accept().on('exec', (yes, _no, given) => {
        const command = String(given.command)
        commands.push(command)
        const channel = yes()
        if (command === settings.dropsAt) return client.end()
        const { stdout, stderr, code } = shell === 'cmd' ? cmd(command) : powershell(command)
        if (stdout) channel.write(stdout)
        if (stderr) channel.stderr.write(stderr)
        channel.exit(code)
        channel.end()
      })
    })
  })
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return Object.assign(settings, {
    port: (listener.address() as { port: number }).port,
    commands,
    logins: () => logins,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  })
}

interface Output {
  stdout: string
  stderr: string
  code: number
}

function cmd(command: string): Output {
  const [line = ''] = command.split(/\r?\n/)
  // In quotes `&` is a letter.
  return inTurn(line.split(/&&?(?=(?:[^"]*"[^"]*")*[^"]*$)/), (name) => ({
    stderr: `'${name}' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n`,
    code: 1,
  }))
}

const powershell = (command: string): Output =>
  inTurn(command.split(/;|\r?\n/), (name) => ({
    stderr: `${name} : The term '${name}' is not recognized as the name of a cmdlet, function, script file, or operable program.\r\n`,
    code: 1,
  }))

function inTurn(commands: readonly string[], unknown: (name: string) => Omit<Output, 'stdout'>): Output {
  const output: Output = { stdout: '', stderr: '', code: 0 }
  for (const one of commands.map((text) => text.trim()).filter(Boolean)) {
    const [name = '', ...rest] = one.split(' ')
    const words = rest.join(' ')
    if (name === 'exit') return { ...output, code: Number(words.replace('/b', '')) }
    if (name === 'echo') output.stdout += `${words}\r\n`
    else if (name !== 'cd') {
      const { stderr, code } = unknown(name)
      output.stderr += stderr
      output.code = code
    }
  }
  return output
}
