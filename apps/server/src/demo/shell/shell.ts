import { setTimeout as after } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { inBackground } from '../../kernel/background.ts'
import { type Step, WORKS } from '../work.ts'

/** A person at a machine. */
export interface Place {
  hostname: string
  username: string
  /** A controller instead of a Unix machine. */
  isPlain?: boolean
}

export function promptOf({ hostname, username, isPlain }: Place): string {
  if (isPlain) return `${hostname}> `
  return `\x1b[1;32m${username}@${hostname}\x1b[0m:\x1b[1;34m~\x1b[0m${username === 'root' ? '#' : '$'} `
}

const MAX_LINE = 1024
/** Seconds that an answer takes at least. */
const AT_ONCE = 0.05

const GREETING = [
  '',
  "\x1b[1mThis machine is part of Sallyport's demo.\x1b[0m It lives inside the server and runs nothing:",
  'a few commands answer as if it were real. Type \x1b[1mhelp\x1b[0m to see them.',
  '',
].join('\r\n')

/** What any machine of the demo answers. */
const COMMANDS: Readonly<Record<string, (place: Place, rest: string) => string>> = {
  hostname: ({ hostname }) => hostname,
  whoami: ({ username }) => username,
  pwd: ({ username }) => (username === 'root' ? '/root' : `/home/${username}`),
  date: () => new Date().toString(),
  uname: () => 'Linux',
  uptime: () => ' 09:46:31 up 41 days,  3:02,  2 users,  load average: 0.31, 0.28, 0.25',
  ls: () => '\x1b[1;34mbackup\x1b[0m  \x1b[1;34mlog\x1b[0m  notes.txt',
  'cat notes.txt': () => '周五前清理旧日志\nAsk Jan about the load balancer',
  'df -h': () => 'Filesystem      Size  Used Avail Use% Mounted on\n/dev/vda1        99G   41G   54G  44% /',
  ps: () => '    PID TTY          TIME CMD\n   4181 pts/0    00:00:00 bash\n   4207 pts/0    00:00:00 ps',
  echo: (_, rest) => rest.replace(/^(['"])(.*)\1$/, '$2'),
  clear: () => '\x1b[H\x1b[2J',
  systemctl: (_, rest) => (rest.startsWith('is-active') ? 'active' : ''),
  true: () => '',
}

/**
 * A shell that runs nothing: it echoes, edits a line, and answers by the demo's script. `write`
 * takes what is shown; `leave` is called once, when it is left by `exit` or Ctrl-D.
 */
export class DemoShell {
  readonly #place: Place
  readonly #write: (text: string) => void
  readonly #leave: () => void
  readonly #decoder = new TextDecoder()
  readonly #stopped = new AbortController()
  #line = ''
  /** Aborted by Ctrl-C; set while something answers. */
  #running: AbortController | undefined

  constructor(place: Place, write: (text: string) => void, leave: () => void) {
    this.#place = place
    this.#write = write
    this.#leave = leave
    write(`${GREETING}\r\n${promptOf(place)}`)
  }

  input(bytes: Buffer): void {
    // Arrows and the like do nothing here.
    for (const key of stripVTControlCharacters(this.#decoder.decode(bytes, { stream: true }))) this.#key(key)
  }

  /** The connection is gone. */
  close(): void {
    this.#stopped.abort()
    this.#running?.abort()
  }

  #key(key: string): void {
    if (key === '\x03') this.#interrupt()
    if (key === '\x03' || this.#running || this.#stopped.signal.aborted) return
    if (key === '\r' || key === '\n') inBackground(this.#run())
    else if (key === '\x04' && !this.#line) this.#exit()
    else if (key === '\x15') this.#erase(this.#line.length)
    else if (key === '\x7f' || key === '\b') this.#erase(1)
    else if (key >= ' ' && this.#line.length < MAX_LINE) {
      this.#line += key
      this.#write(key)
    }
  }

  #erase(count: number): void {
    const characters = [...this.#line]
    const erased = characters.splice(Math.max(0, characters.length - count))
    this.#line = characters.join('')
    // Wide characters take two cells.
    const cells = erased.reduce((sum, character) => sum + (/[\u2e80-\uffef]/.test(character) ? 2 : 1), 0)
    this.#write('\b \b'.repeat(cells))
  }

  #interrupt(): void {
    this.#line = ''
    this.#write('^C\r\n')
    if (this.#running) this.#running.abort()
    else this.#write(promptOf(this.#place))
  }

  #exit(): void {
    this.#write('logout\r\n')
    this.close()
    this.#leave()
  }

  async #run(): Promise<void> {
    const typed = this.#line.trim()
    this.#line = ''
    this.#write('\r\n')
    if (typed === 'exit' || typed === 'logout') return this.#exit()
    const running = new AbortController()
    this.#running = running
    try {
      await this.#show(answerTo(typed, this.#place), running.signal)
    } catch {
      // Ctrl-C, or the connection is gone.
    }
    this.#running = undefined
    if (!this.#stopped.signal.aborted) this.#write(promptOf(this.#place))
  }

  async #show({ answer, over = AT_ONCE }: Pick<Step, 'answer' | 'over'>, signal: AbortSignal): Promise<void> {
    const lines = answer?.split('\n') ?? []
    for (const line of lines) {
      await after((over * 1000) / lines.length, undefined, { signal })
      this.#write(`${line}\r\n`)
    }
  }
}

/** A machine's answer to a line. */
export function answerTo(typed: string, place: Place): Pick<Step, 'answer' | 'over'> {
  if (!typed) return {}
  if (typed === 'help') return { answer: helpAt(place) }
  const scripted = stepsAt(place).find((step) => step.typed === typed)
  if (scripted) return { ...scripted, answer: scripted.answer?.replaceAll('{host}', place.hostname) }
  const [name = ''] = typed.split(' ')
  const known = [typed, name].find((one) => Object.hasOwn(COMMANDS, one))
  const command = known && COMMANDS[known]
  return { answer: command ? command(place, typed.slice(name.length + 1)) : `bash: ${name}: command not found` }
}

/**
 * A machine's answer to a command of several lines, such as the steps of a runbook: to each line.
 */
export function answersTo(command: string, place: Place): string {
  const lines = command.split('\n').filter((line) => line.trim() && !AROUND_STEPS.test(line))
  return lines.flatMap((line) => answerTo(line.trim(), place).answer ?? []).join('\n')
}

/** What stands around the steps of a runbook (domains/ops/runbooks/compose.ts). */
const AROUND_STEPS = /^[()]$|^code=\$\?;/

const stepsAt = ({ hostname }: Place): Step[] =>
  WORKS.filter(({ machines }) => hostname.startsWith(machines)).flatMap(({ steps }) => [...steps])

const helpAt = (place: Place) =>
  ['These answer here:', ...Object.keys(COMMANDS), ...stepsAt(place).map(({ typed }) => typed), 'exit']
    .map((line, at) => (at ? `  ${line}` : line))
    .join('\n')
