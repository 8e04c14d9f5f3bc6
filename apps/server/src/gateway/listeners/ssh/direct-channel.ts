import type ssh2 from 'ssh2'
import { inBackground } from '../../../kernel/background.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { shortAddressOfNamed } from '../../explanation/short-address.ts'
import type { Gateway } from '../../gateway.ts'
import type { Program } from '../../kinds/terminal/streams.ts'
import type { Person } from '../../session/person.ts'
import { askFor } from '../../session/questions-of-person.ts'
import { type ConnectionChoice, type DirectHits, resolveDirect, TargetChoice } from '../menu/choose.ts'
import type { LoginName } from './login-name.ts'
import { type ChannelWork, closeChannel, runProgram } from './program-channel.ts'

const NOT_FOUND = 255

/**
 * Connects straight to the machine in the user name; if that matches several, the person chooses at
 * their terminal.
 */
export function runDirect(
  kernel: Kernel,
  gateway: Gateway,
  channel: ssh2.ServerChannel,
  person: Person,
  direct: NonNullable<LoginName['direct']>,
  program: Program,
): ChannelWork {
  const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
  let size = program.terminal?.size
  let isEnded = false
  let choice: TargetChoice | undefined
  let session: ChannelWork | undefined
  const leave = (notice: string | undefined, exitCode: number) => {
    if (notice && program.terminal) channel.write(`${notice.replaceAll('\n', '\r\n')}\r\n`)
    else if (notice) channel.stderr.write(`${notice}\n`)
    closeChannel(channel, { exitCode }, isOver)
  }
  const choose = async (found: DirectHits): Promise<ConnectionChoice | undefined> => {
    choice = new TargetChoice({
      person,
      terminal: { write: (text) => void channel.write(text), size: () => size ?? { cols: 80, rows: 24 } },
    })
    const onData = (bytes: Buffer) => choice?.input(bytes)
    const onClose = () => choice?.close()
    channel.on('data', onData).once('close', onClose)
    const target = await choice.choose(found)
    channel.off('data', onData).off('close', onClose).pause()
    choice = undefined
    return target
  }
  const begin = async () => {
    const answer = await askFor(person, () => resolveDirect(kernel, person, direct))
    if (answer.found === 'none') return leave(`${answer.notice}${await whyNot(kernel, person, direct)}`, NOT_FOUND)
    if (answer.found === 'several' && !program.terminal) return leave(answer.notice, NOT_FOUND)
    const target = answer.found === 'one' ? answer.choice : await choose(answer)
    if (!target || isEnded) return leave(undefined, target ? NOT_FOUND : 0)
    const wanted = program.terminal && size ? { ...program, terminal: { ...program.terminal, size } } : program
    session = runProgram(kernel, gateway, channel, { person, ...target, program: wanted })
    inBackground(session.over.then(isOver))
  }
  begin().catch((error) => {
    kernel.app.log.error({ err: error }, 'direct connection')
    leave(undefined, NOT_FOUND)
  })
  return {
    over,
    resize(next) {
      size = next
      choice?.resize()
      session?.resize(next)
    },
    signal: (name) => session?.signal(name),
    end(words) {
      isEnded = true
      choice?.close()
      session?.end(words)
    },
  }
}

/** A further line with the address that says why, where the person may know of the machine. */
async function whyNot(kernel: Kernel, person: Person, direct: NonNullable<LoginName['direct']>): Promise<string> {
  const address = await shortAddressOfNamed(kernel, person, direct)
  return address ? `\n${translate(person.language, 'Why, and what helps: {{address}}', { address })}` : ''
}
