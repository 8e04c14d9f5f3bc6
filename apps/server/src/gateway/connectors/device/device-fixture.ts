/**
 * Network equipment for tests: a real SSH server whose shell behaves as those of Cisco's IOS or Huawei's VRP are
 * documented to. It repeats what is typed, stops at the end of each page, asks for the password of a
 * higher level unseen, and knows no command but a few.
 */
import { createServer, type Socket } from 'node:net'
import type ssh2 from 'ssh2'
import { Server, utils } from '../../../kernel/ssh/ssh2/index.ts'

export interface DeviceOptions {
  kind?: 'cisco' | 'huawei'
  login: { username: string; password: string }
  /** Password of the higher level. */
  secret: string
  /** It asks a server about passwords, and says so in one row; else it asks three times. */
  isCentral?: boolean
  /** It does not know how to show no pages. */
  alwaysPages?: boolean
}

export interface TestDevice {
  port: number
  /** Lines that were typed, at any prompt; secrets are none. */
  typed: string[]
  close(): Promise<void>
}

const PAGE = 24
const RUNNING = [
  'Current configuration : 4711 bytes',
  '!',
  ...Array.from({ length: 60 }, (_, n) => ` line ${n + 1}`),
  'end',
]

export async function startDevice(options: DeviceOptions): Promise<TestDevice> {
  const typed: string[] = []
  const sockets = new Set<Socket>()
  const server = new Server({ hostKeys: [utils.generateKeyPairSync('ed25519').private] }, (client) => {
    client.on('error', () => {})
    client.on('authentication', (context) => {
      const { username, password } = options.login
      if (context.method !== 'password') return context.reject(['password'])
      if (context.username === username && context.password === password) context.accept()
      else context.reject(['password'])
    })
    client.on('session', (accept) => {
      const session = accept()
      session.on('pty', (yes) => yes?.())
      session.on('window-change', (yes) => yes?.())
      session.on('shell', (yes) => new DeviceShell(yes(), options, typed))
    })
  })
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    server.injectSocket(socket)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as { port: number }).port,
    typed,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  }
}

class DeviceShell {
  readonly #channel: ssh2.ServerChannel
  readonly #options: DeviceOptions
  readonly #typed: string[]
  #name = 'edge-1'
  #view: 'user' | 'privileged' | 'config' = 'user'
  #line = ''
  #pages = true
  /** The rest of an answer, at the end of a page. */
  #more: string[] | undefined
  /** Takes the answer to the next line, unseen or seen. */
  #asked: ((line: string) => void) | undefined
  #isSeen = true

  constructor(channel: ssh2.ServerChannel, options: DeviceOptions, typed: string[]) {
    this.#channel = channel
    this.#options = options
    this.#typed = typed
    channel.on('error', () => {})
    channel.on('data', (bytes: Buffer) => {
      for (const key of bytes.toString()) this.#key(key)
    })
    channel.write('\r\n#######################\r\n# Authorized use only #\r\n#######################\r\n\r\n')
    this.#prompt()
  }

  get #isHuawei() {
    return this.#options.kind === 'huawei'
  }

  #prompt() {
    const { user, privileged, config } = this.#isHuawei
      ? { user: `<${this.#name}>`, privileged: `<${this.#name}>`, config: `[${this.#name}]` }
      : { user: `${this.#name}>`, privileged: `${this.#name}#`, config: `${this.#name}(config)#` }
    this.#channel.write({ user, privileged, config }[this.#view])
  }

  #key(key: string) {
    if (this.#more) {
      this.#channel.write(`${'\b'.repeat(9)}${' '.repeat(8)}${'\b'.repeat(9)}`)
      const rest = this.#more
      this.#more = undefined
      if (key === ' ') this.#say(rest)
      else this.#prompt()
      return
    }
    if (key === '\x03') {
      this.#asked = undefined
      this.#isSeen = true
      this.#line = ''
      this.#channel.write('^C\r\n')
      return this.#prompt()
    }
    if (key !== '\n' && key !== '\r') {
      this.#line += key
      if (this.#isSeen) this.#channel.write(key)
      return
    }
    this.#channel.write('\r\n')
    const line = this.#line
    this.#line = ''
    const asked = this.#asked
    this.#asked = undefined
    if (asked) return asked(line)
    this.#typed.push(line)
    this.#run(line.trim())
  }

  #ask(text: string, isSeen: boolean, answer: (line: string) => void) {
    this.#isSeen = isSeen
    this.#asked = (line) => {
      this.#isSeen = true
      answer(line)
    }
    this.#channel.write(text)
  }

  #say(rows: readonly string[]) {
    const page = this.#pages ? rows.slice(0, PAGE) : rows
    for (const row of page) this.#channel.write(`${row}\r\n`)
    if (page.length === rows.length) return this.#prompt()
    this.#more = rows.slice(PAGE)
    this.#channel.write(this.#isHuawei ? '  ---- More ----' : ' --More-- ')
  }

  /** Each comes by itself. */
  #inPieces([piece, ...rest]: readonly string[]) {
    if (piece === undefined) return this.#prompt()
    this.#channel.write(piece)
    setImmediate(() => this.#inPieces(rest))
  }

  #rise(triesLeft: number) {
    const refused = this.#options.isCentral ? '% Error in authentication.' : '% Bad secrets'
    this.#ask('Password: ', false, (line) => {
      this.#channel.write('\r\n')
      if (line === this.#options.secret) {
        this.#view = 'privileged'
        return this.#say(this.#isHuawei ? ['Now user privilege is level 3, and only those commands can be used'] : [])
      }
      if (triesLeft > 1 && !this.#options.isCentral) return this.#rise(triesLeft - 1)
      this.#say(['', refused, ''])
    })
  }

  #run(line: string) {
    const isHigh = this.#view !== 'user'
    if (line === '') return this.#prompt()
    if (line === (this.#isHuawei ? 'super' : 'enable')) return this.#rise(3)
    if (line === (this.#isHuawei ? 'screen-length 0 temporary' : 'terminal length 0') && !this.#options.alwaysPages) {
      this.#pages = false
      return this.#say([])
    }
    if (line === 'show users') return this.#inPieces(['username bob password', ' 7 09\r\nLast password:', ' never\r\n'])
    if (/^(show|display) clock$/.test(line)) return this.#say(['12:00:00.000 UTC Tue Nov 24 2026'])
    if (/^(show running|display current)/.test(line) && isHigh) return this.#say(RUNNING)
    if (/^(configure terminal|system-view)$/.test(line) && isHigh) {
      this.#view = 'config'
      return this.#say(['Enter configuration commands, one per line.  End with CNTL/Z.'])
    }
    if (line.startsWith('hostname ') && this.#view === 'config') {
      this.#name = line.slice('hostname '.length)
      return this.#say([])
    }
    if (line === 'end' && isHigh) {
      this.#view = 'privileged'
      return this.#say([])
    }
    // Goes on until it is interrupted.
    if (line.startsWith('ping ')) return void this.#channel.write('Sending echos to 192.0.2.1:\r\n....')
    if (line === 'reload' && isHigh) return this.#ask('Proceed with reload? [confirm]', true, () => this.#say([]))
    if (line === 'exit') {
      this.#channel.exit(0)
      return this.#channel.end()
    }
    this.#say(['          ^', "% Invalid input detected at '^' marker.", ''])
  }
}
