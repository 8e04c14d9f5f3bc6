import { spawn } from 'node:child_process'
import type { Context } from './command.ts'
import { Failure } from './exit.ts'

/**
 * Runs a program at the same terminal, to its end; signals of the keyboard are the program's. Answers
 * its exit code. @throws Failure where it is not installed
 */
export function runProgram(
  { say, environment }: Context,
  program: string,
  parameters: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn(program, parameters, { stdio: 'inherit', env: { ...withoutSecrets(environment), ...more } })
  const leaveToIt = () => {}
  process.on('SIGINT', leaveToIt)
  const end = (signal: NodeJS.Signals) => child.kill(signal)
  process.on('SIGTERM', end)
  child.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ENOENT' ? new Failure('failed', say('{{program}} is not installed here', { program })) : error,
    ),
  )
  child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)))
  return promise.finally(() => {
    process.off('SIGINT', leaveToIt)
    process.off('SIGTERM', end)
  })
}

/** What signs calls is nothing to other programs. */
function withoutSecrets({ SALLYPORT_CLI_TOKEN: _, SALLYPORT_CLI_KEY_SECRET: __, ...rest }: NodeJS.ProcessEnv) {
  return rest
}
