import { spawn } from 'node:child_process'

export interface Ran {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  input?: string | Buffer
  environment?: Record<string, string>
}

/** Runs a program to its end, in plain English. */
export function runToEnd(
  program: string,
  parameters: readonly string[],
  { input = '', environment = {} }: RunOptions = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { env: { ...process.env, LC_ALL: 'C', ...environment } })
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (bytes) => stdout.push(bytes))
    child.stderr.on('data', (bytes) => stderr.push(bytes))
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() }),
    )
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
