import { sshFailureText } from '../../domains/assets/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { SshError } from '../../kernel/ssh/connect.ts'
import { portOf } from '../connectors/index.ts'
import { type FileLogEntry, fileActor, logOperation } from '../files/file-log.ts'
import { openSftp, type SftpClient } from '../files/sftp/sftp-client.ts'
import { OPEN, SftpStatus } from '../files/sftp/sftp-wire.ts'
import type { MachineConnections } from '../machines/machine-connections.ts'
import type { Person } from '../session/person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'
import type { HandedHere } from './hand-over.ts'

export interface FilesToPut {
  person: Person
  target: ConnectionTarget
  handed: HandedHere
  machines: MachineConnections
  signal: AbortSignal
}

/** Files that wait on a machine for the text that puts them in their places. */
export interface PutFiles {
  /** Says in the FTP log whether they got there. */
  over(isSuccess: boolean): Promise<void>
}

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
  try {
    for (const { path } of handed.files)
      entries.push(await logOperation(kernel, actor, { operate: 'Upload', names: [path] }))
    await sendAll(kernel, files)
    return { over }
  } catch (error) {
    await over(false)
    if (error instanceof SshError) throw new SessionRefusal(sshFailureText(error))
    if (error instanceof SftpStatus)
      throw new SessionRefusal('The files could not be put on the machine: {{why}}', { why: error.message })
    throw error
  }
}

async function sendAll(kernel: Kernel, { target, handed, machines, signal }: FilesToPut): Promise<void> {
  const login = { target, host: target.address, port: portOf(target), signal }
  const client = await openSftp(kernel, login, machines)
  try {
    await client.mkdir(handed.folder, { mode: 0o700 })
    for (const { step, content } of handed.files) await send(client, `${handed.folder}/${step}`, content)
  } finally {
    client.close()
  }
}

async function send(client: SftpClient, path: string, content: Buffer): Promise<void> {
  const handle = await client.open(path, OPEN.WRITE | OPEN.CREAT | OPEN.EXCL, { mode: 0o600 })
  try {
    if (content.length) await client.write(handle, 0, content)
  } finally {
    await client.closeHandle(handle)
  }
}
