/**
 * Windows with OpenSSH's server, for tests: a real SSH server that takes the one command line by which PowerShell
 * is begun, reads its input as PowerShell does, and keeps accounts as the script that came says. It
 * knows what these scripts ask for, not PowerShell; no real Windows was at hand.
 */
import { createServer, type Socket } from 'node:net'
import { Server, utils } from '../../../../kernel/ssh/ssh2/index.ts'

interface WindowsAccount {
  password: string
  description: string
  groups: string[]
  /** The last number of its SID; of one that Windows has of its own, below 1000. */
  rid?: number
}

export interface WindowsMachine {
  port: number
  accounts: Map<string, WindowsAccount>
  /** Everything that a list of processes, or a log of script blocks or modules, would show. */
  shown: string[]
  /** It has another shell alone. */
  isWithoutPowerShell: boolean
  close(): Promise<void>
}

const decoded = (line = '') => Buffer.from(line, 'base64').toString()
/** A word in single quotes, as PowerShell reads it. */
const words = (text: string) =>
  [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, word = '']) => word.replaceAll("''", "'"))
const givenAs = (script: string, name: string) => words(new RegExp(`^\\$${name} = (.*)$`, 'm').exec(script)?.[1] ?? '')

export async function startWindows(login: { username: string; password: string }): Promise<WindowsMachine> {
  const accounts = new Map<string, WindowsAccount>()
  const shown: string[] = []
  const sockets = new Set<Socket>()
  const machine = { isWithoutPowerShell: false }
  const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      const isRight = context.method === 'password' && context.password === login.password
      if (isRight && context.username === login.username) context.accept()
      else context.reject(['password'])
    })
    client.on('session', (accept) => {
      accept().on('exec', (yes, _no, { command }) => {
        const channel = yes()
        const line = String(command)
        shown.push(line)
        const [, beginning] = /^powershell -NoProfile -NonInteractive -EncodedCommand ([\w+/=]+)$/.exec(line) ?? []
        let input = ''
        channel.on('data', (bytes: Buffer) => {
          input += bytes
        })
        channel.on('end', () => {
          if (!beginning || machine.isWithoutPowerShell) {
            channel.stderr.write(`'${line.split(' ')[0]}' is not recognized as an internal or external command\r\n`)
            channel.exit(1)
            return channel.end()
          }
          const begun = Buffer.from(beginning, 'base64').toString('utf16le')
          const [script = '', ...text] = input.split('\r\n').map(decoded)
          shown.push(begun, script)
          if (isGivenToCommands(begun, script)) shown.push(...text)
          const { says, code } = obey(accounts, script, text[0] ?? '')
          channel.write(says.map((step) => `@@${step}\n`).join(''))
          channel.exit(code)
          channel.end()
        })
      })
    })
  })
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return Object.assign(machine, {
    port: (listener.address() as { port: number }).port,
    accounts,
    shown,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  })
}

/** Whether commands get what was read, by a pipe or as a parameter: a log of modules has that, and no values of methods. */
function isGivenToCommands(beginning: string, script: string): boolean {
  const elsewhere = script.replace(/\$text\[\d\]\.\w+\(\)|\.\w+\([^()]*\)/g, '')
  return beginning.includes('|') || elsewhere.includes('$text')
}

/** Hardware of a machine of which some facts are not known. */
const HARDWARE = [
  'vendor\tMicrosoft Corporation\t',
  'model\tVirtual Machine\t',
  'sn\t\t',
  'cpu_model\tIntel(R) Xeon(R) Platinum\t',
  'cpu_count\t1\t',
  'cpu_cores\t4\t',
  'cpu_vcpus\t8\t',
  'memory\t17179869184\t',
  'os\tMicrosoft Windows Server 2022 Datacenter\t',
  'os_version\t10.0.20348\t',
  'os_arch\t64-bit\t',
  'hostname_raw\tWIN-7Q\t',
  'disk\t136365212160\t0',
  'disk\t\t1',
]

/** The result of the cmdlets of Microsoft.PowerShell.LocalAccounts. */
function obey(
  accounts: Map<string, WindowsAccount>,
  script: string,
  password: string,
): { says: string[]; code: number } {
  if (script.includes('Win32_ComputerSystem')) return { says: HARDWARE, code: 0 }
  const [user = ''] = givenAs(script, 'user')
  const known = accounts.get(user)
  if (script.includes('Remove-LocalUser')) {
    if (!known) return { says: ['user\tsame\t'], code: 0 }
    if (known.description !== 'Made by Sallyport')
      return { says: ['user\tfailed\tThe account was there before it was pushed: it stays'], code: 0 }
    accounts.delete(user)
    return { says: ['user\tchanged\t'], code: 0 }
  }
  const [, own, words = ''] =
    /if \(\$known -and \$known\.SID\.Value -match '(.+)'\) \{ throw '(.+)' \}/.exec(script) ?? []
  if (own && known && new RegExp(own).test(`S-1-5-21-1-2-3-${known.rid ?? 1001}`))
    return { says: [`user\tfailed\t${words}`], code: 1 }
  // No local account has a longer name.
  if (user.length > 20) return { says: ['user\tfailed\tThe argument is too long.'], code: 1 }
  const account = known ?? { password, description: 'Made by Sallyport', groups: [] }
  const missing = [...givenAs(script, 'groups'), ...givenAs(script, 'builtIn')].filter(
    (group) => !account.groups.includes(group),
  )
  account.groups.push(...missing)
  accounts.set(user, account)
  const isSame = known?.password === password
  account.password = password
  return {
    says: [`user\t${known && !missing.length ? 'same' : 'changed'}\t`, `password\t${isSame ? 'same' : 'changed'}\t`],
    code: 0,
  }
}
