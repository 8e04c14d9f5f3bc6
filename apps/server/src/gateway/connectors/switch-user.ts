import { randomBytes } from 'node:crypto'
import { isPasswordPrompt } from '../../kernel/ssh/script.ts'
import type { OutputStream, Program, TargetStream } from '../kinds/terminal/streams.ts'
import type { StreamEnd } from '../session/live-session.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

/** For the prompt, and for what comes after the password: a wrong one is answered late on purpose. */
const SWITCH_MS = 15_000
/** A machine that has said something else for so long asks for no password. */
const NO_PROMPT_MS = 1000
/** No prompt is behind so much, nor are words of `su`. */
const MAX_HELD_BYTES = 64 * 1024
/** Refusals of `su`; it ends then. */
const REFUSED = /^(su:|sorry)/i

/** A program by which a system user is reached, and what it says once the switch has worked. */
export interface Switching {
  program: Program
  /** Undefined for a login shell, which says what it likes. */
  mark?: string
}

/** Wide, so that no machine breaks what a command writes. */
const UNSEEN: Program['terminal'] = { type: 'dumb', size: { cols: 500, rows: 24 } }

/**
 * How a system user is reached that is switched to from another one (docs/rules/assets.md#su_from):
 * a login shell by `su` on the terminal of who logged in, or a command without input on one of its
 * own, where both of its outputs are one. Throws SessionRefusal.
 */
export function switchingTo({ credentials: { username } }: ConnectionTarget, program: Program): Switching {
  if (!/^[\w@.][\w@.-]*$/.test(username)) throw new SessionRefusal('The login has no user name')
  const su = `exec env LC_ALL=C su - ${username}`
  const { command, terminal, hasNoInput, isFed } = program
  if (command && (hasNoInput || isFed)) {
    const key = randomBytes(8).toString('hex')
    // Written otherwise than printed: machines that refuse a command repeat it.
    const script = `stty raw -echo 2>/dev/null; echo @@""${key}@@${isFed ? '' : '; exec </dev/null'}\n${command.toString('latin1')}`
    const asWord = `'${script.replaceAll("'", "'\\''")}'`
    return {
      program: { ...program, terminal: UNSEEN, command: Buffer.from(`${su} -c ${asWord}`, 'latin1') },
      mark: `@@${key}@@`,
    }
  }
  if (!terminal || command !== undefined)
    throw new SessionRefusal('This system user is reached by switching from another: it has terminals alone')
  return { program: { ...program, command: Buffer.from(su) } }
}

/**
 * Answers the password prompt of `su`, which nobody sees. The terminal is handed on once the switch
 * has worked, after the mark where there is one; without a stored password the person answers. Throws SessionRefusal.
 */
export function switched(
  machine: TargetStream,
  { credentials: { username, password }, switchFrom }: ConnectionTarget,
  signal: AbortSignal,
  mark?: string,
): Promise<TargetStream> {
  return new Promise((resolve, reject) => {
    const held: Buffer[] = []
    let heldBytes = 0
    let isPassedOn = false
    let isAnswered = false
    let isOver = false
    let end: StreamEnd | undefined
    let quiet: NodeJS.Timeout | undefined
    let take = (bytes: Buffer, _stream: OutputStream): void => {
      if (isOver) return
      held.push(bytes)
      heldBytes += bytes.length
      if (!isPassedOn)
        judge(
          Buffer.concat(held)
            .toString(mark ? 'latin1' : 'utf8')
            .trimStart(),
        )
    }
    let onEnd = (ended: StreamEnd): void => {
      end = ended
      if (!isPassedOn) refuse()
    }
    const settle = () => {
      clearTimeout(timer)
      clearTimeout(quiet)
      signal.removeEventListener('abort', abort)
    }
    const fail = (error: unknown) => {
      isOver = true
      held.length = 0
      settle()
      machine.close()
      reject(error)
    }
    const values = { from: switchFrom?.username ?? '', username }
    const refuse = () => fail(new SessionRefusal('The machine did not let {{from}} switch to {{username}}', values))
    const abort = () => fail(signal.reason)
    const handOn = () => {
      settle()
      isPassedOn = true
      resolve({
        ...machine,
        start(output, ended) {
          for (const bytes of held.splice(0)) output(bytes, 'stdout')
          take = output
          onEnd = ended
          if (end) ended(end)
        },
      })
    }
    const judge = (output: string) => {
      const at = mark ? output.indexOf(mark) : -1
      if (mark && at >= 0) {
        const rest = output.slice(at + mark.length)
        if (!rest.includes('\n')) return
        held.splice(0, Infinity, Buffer.from(rest.slice(rest.indexOf('\n') + 1), 'latin1'))
        return handOn()
      }
      if (!isAnswered && password && isPasswordPrompt(Buffer.from(output, mark ? 'latin1' : 'utf8').toString())) {
        isAnswered = true
        held.length = heldBytes = 0
        clearTimeout(quiet)
        machine.write(Buffer.from(`${password}\n`))
        return
      }
      const isFull = heldBytes > MAX_HELD_BYTES
      if (!output || REFUSED.test(output) || 'su:'.startsWith(output)) return isFull ? refuse() : undefined
      // A greeting, or a fault of a profile: the command has not begun.
      if (mark) return isFull ? refuse() : undefined
      if (isAnswered || !password || isFull) return handOn()
      clearTimeout(quiet)
      quiet = setTimeout(handOn, NO_PROMPT_MS)
    }
    const timer = setTimeout(refuse, SWITCH_MS)
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    machine.start(
      (bytes, stream) => take(bytes, stream),
      (ended) => onEnd(ended),
    )
  })
}
