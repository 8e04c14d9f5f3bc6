import { sshFailureText } from '../../domains/assets/networks/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import { portOf } from '../connectors/index.ts'
import { type FileLogEntry, fileActor, logOperation } from '../files/file-log.ts'
import { openSftp, type SftpClient } from '../files/sftp/sftp-client.ts'
import { OPEN, SftpStatus, STATUS } from '../files/sftp/sftp-wire.ts'
import type { MachineConnections } from '../machines/machine-connections.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { MachineInputs } from './hand-over.ts'

export interface FilesToPut {
  person: Person
  target: ConnectionTarget
  handed: MachineInputs
  machines: MachineConnections
  signal: AbortSignal
}

/** Files that wait on a machine for the text that puts them in their places. */
export interface PutFiles {
  /** Says in the FTP log whether they got there. */
  over(isSuccess: boolean): Promise<void>
  /** Removes what is left of them, as far as the machine lets it and answers. Throws nothing. */
  takeBack(): Promise<void>
}

/** Files are left on a machine that does not take them back in this time. */
const TAKE_BACK_MS = 5_000

/**
 * Sends the files of a run into a folder that nobody else of the machine may look into. Each has its row
 * in the FTP log, by the path to which the text puts it. Throws SessionRefusal.
 */
export async function putFilesOn(kernel: Kernel, files: FilesToPut): Promise<PutFiles> {
  const { person, target, handed } = files
  if (target.systemUser.su_enabled)
    throw new SessionRefusal('This system user is reached by switching from another: it has no file access')
  const actor = fileActor(person, target)
  const entries: FileLogEntry[] = []
  const over = async (isSuccess: boolean) => {
    await Promise.all(entries.splice(0).map((entry) => entry.end(isSuccess)))
  }
  const takeBack = () =>
    removeAll(kernel, files).catch((error) => kernel.app.log.warn({ err: error }, 'files of a run were left'))
  let hasBegun = false
  try {
    for (const { path } of handed.files)
      entries.push(await logOperation(kernel, actor, { operate: 'Upload', names: [path] }))
    await withFiles(kernel, files, async (client) => {
      hasBegun = true
      await sendAll(client, handed)
    })
    return { over, takeBack }
  } catch (error) {
    await over(false)
    if (hasBegun) await takeBack()
    // Ending it closed its files, which is not why it failed.
    files.signal.throwIfAborted()
    if (error instanceof SshError) throw new SessionRefusal(sshFailureText(error))
    if (error instanceof SftpStatus)
      throw new SessionRefusal('The files could not be put on the machine: {{why}}', { why: error.message })
    throw error
  }
}

/** Opens the files of the machine until the work is done, or the signal ends it. */
async function withFiles(
  kernel: Kernel,
  { target, machines, signal }: FilesToPut,
  work: (client: SftpClient) => Promise<void>,
): Promise<void> {
  const client = await openSftp(kernel, { target, host: target.address, port: portOf(target), signal }, machines)
  const close = () => client.close()
  signal.addEventListener('abort', close)
  try {
    signal.throwIfAborted()
    await work(client)
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

async function sendAll(client: SftpClient, { folder, files }: MachineInputs): Promise<void> {
  await client.mkdir(folder, { mode: 0o700 })
  for (const { step, content } of files) await send(client, `${folder}/${step}`, content)
}

/** By a channel of its own: that of the files may be what does not answer. */
function removeAll(kernel: Kernel, files: FilesToPut): Promise<void> {
  const { folder, files: all } = files.handed
  return withFiles(kernel, { ...files, signal: AbortSignal.timeout(TAKE_BACK_MS) }, async (client) => {
    for (const { step } of all) await client.remove(`${folder}/${step}`).catch(ignoringMissing)
    await client.rmdir(folder).catch(ignoringMissing)
  })
}

/** A shell that ran has removed them, and a file that was not begun is none. */
function ignoringMissing(error: unknown): void {
  if (!(error instanceof SftpStatus && error.code === STATUS.NO_SUCH_FILE)) throw error
}

async function send(client: SftpClient, path: string, content: Buffer): Promise<void> {
  const handle = await client.open(path, OPEN.WRITE | OPEN.CREAT | OPEN.EXCL, { mode: 0o600 })
  try {
    if (content.length) await client.write(handle, 0, content)
  } finally {
    await client.closeHandle(handle)
  }
}
