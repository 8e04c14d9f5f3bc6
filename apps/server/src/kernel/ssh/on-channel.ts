import type ssh2 from 'ssh2'

export interface CommandResult {
  /** Exit code; undefined where a signal ended the command. */
  code: number | undefined
  stdout: string
  stderr: string
  /** There was more output than is kept. */
  isCut: boolean
  milliseconds: number
}

/** Why a command did not run to its end, in words for people (a translation key). */
export class ScriptError extends Error {
  override name = 'ScriptError'
}

export interface ChannelCommand {
  command: string
  /** It runs on a terminal, where both outputs are one. */
  terminal?: boolean
  timeoutMs: number
  signal?: AbortSignal | undefined
}

/**
 * Runs a command over a connection that stays open. `talk` gets the channel as soon as there is one, and
 * answers what it came to when that has ended. Throws ScriptError where it could not run to its end,
 * what `talk` throws, and the reason of the signal.
 */
export function onChannel(
  client: ssh2.Client,
  { command, terminal, timeoutMs, signal }: ChannelCommand,
  talk: (
    channel: ssh2.ClientChannel,
    fail: (error: unknown) => void,
  ) => () => Omit<CommandResult, 'code' | 'milliseconds'>,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    let channel: ssh2.ClientChannel | undefined
    let isSettled = false
    const settle = () => {
      isSettled = true
      clearTimeout(timer)
      client.off('close', broken)
      signal?.removeEventListener('abort', stopped)
    }
    const fail = (error: unknown) => {
      settle()
      channel?.signal('KILL')
      channel?.close()
      reject(error)
    }
    const timer = setTimeout(() => fail(new ScriptError('The command timed out')), timeoutMs)
    const broken = () => fail(new ScriptError('The connection was closed'))
    const stopped = () => fail(signal?.reason ?? new ScriptError('Cancelled'))
    if (signal?.aborted) return stopped()
    signal?.addEventListener('abort', stopped, { once: true })
    client.once('close', broken)
    const pty = terminal ? { pty: { term: 'dumb', rows: 24, cols: 200, width: 0, height: 0 } } : {}
    const listen = (error: Error | undefined, opened?: ssh2.ClientChannel) => {
      // Opened too late: the caller already got the answer that nothing was done, so nothing is
      // begun.
      if (isSettled) return opened?.close()
      if (error || !opened) return fail(new ScriptError('The connection was closed'))
      channel = opened
      const outputs = talk(opened, fail)
      let code: number | undefined
      opened.on('exit', (value: unknown) => {
        if (typeof value === 'number') code = value
      })
      opened.on('close', () => {
        try {
          const output = outputs()
          settle()
          resolve({ code, ...output, milliseconds: Math.round(performance.now() - begun) })
        } catch (refusal) {
          fail(refusal)
        }
      })
    }
    try {
      client.exec(command, pty, listen)
    } catch {
      // ssh2 does not call back for a connection that is closed already.
      fail(new ScriptError('The connection was closed'))
    }
  })
}
