/**
 * Runs PowerShell on a Windows machine over OpenSSH's server, whichever shell that starts: the command
 * line is the same to cmd and to PowerShell, and holds a fixed beginning alone. The script, and what it
 * reads, come by the input, where no list of processes shows them (as Ansible does it).
 */
import type ssh2 from 'ssh2'
import { KeptOutput } from './kept-output.ts'
import { type CommandResult, onChannel, ScriptError } from './on-channel.ts'

export interface PowerShellOptions {
  /** Input of the script, as `$text[1]`, `$text[2]`, …: the place for secrets. */
  input?: readonly string[]
  timeoutMs: number
  signal?: AbortSignal | undefined
}

const KEPT_BYTES = 256 * 1024
/** Letters alone get there as they are, whatever the machine's code page is. */
const base64 = (text: string) => Buffer.from(text).toString('base64')

/**
 * PowerShell itself reads its input, and hands it on as `$input`. Its blocks are logged on many machines,
 * and so is what commands are given, as parameters or by a pipe (event 4103): secrets get to methods and
 * statements alone, such as `foreach`, which is no `ForEach-Object`.
 */
const BEGINNING =
  '$text=@(foreach($line in $input){[Text.Encoding]::UTF8.GetString([Convert]::FromBase64String($line))});iex $text[0]'
const COMMAND = `powershell -NoProfile -NonInteractive -EncodedCommand ${Buffer.from(BEGINNING, 'utf16le').toString('base64')}`

/** Throws ScriptError where it could not run to its end; a script that failed by itself is a result. */
export function runPowerShell(
  client: ssh2.Client,
  script: string,
  { input = [], timeoutMs, signal }: PowerShellOptions,
): Promise<CommandResult> {
  return onChannel(client, { command: COMMAND, timeoutMs, signal }, (channel, fail) => {
    const stdout = new KeptOutput(KEPT_BYTES)
    const stderr = new KeptOutput(KEPT_BYTES)
    const take = (kept: KeptOutput) => (bytes: Buffer) => {
      kept.take(bytes)
      if (kept.isFlood) fail(new ScriptError('It wrote more than 16 MB, and was ended'))
    }
    channel.on('data', take(stdout))
    channel.stderr.on('data', take(stderr))
    channel.end([script, ...input].map((one) => `${base64(one)}\r\n`).join(''))
    return () => ({ stdout: stdout.text(), stderr: stderr.text(), isCut: stdout.isCut || stderr.isCut })
  })
}

/** Text that PowerShell reads as one word; it takes curly quotes for straight ones. */
export const quotedForPowerShell = (text: string): string => `'${text.replace(/['\u2018-\u201b]/g, '$&$&')}'`

/** At the beginning of scripts that say one thing a row: `@@what`, a value and a reason, whatever the machine's code page is. */
export const SAY = `
$ProgressPreference = 'SilentlyContinue'
$out = [Console]::OpenStandardOutput()
function Say($what, $value, $why = '') {
  $bytes = [Text.Encoding]::UTF8.GetBytes("@@$what\`t" + ("$value" -replace '\\s+', ' ') + "\`t" + ("$why" -replace '\\s+', ' ') + "\`n")
  $out.Write($bytes, 0, $bytes.Length); $out.Flush()
}
`
