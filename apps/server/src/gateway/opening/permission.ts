import { ACTION_BITS } from '@sallyport/contract/actions.ts'
import { type ForwardingRight, forwardsAnything, NO_FORWARDING } from '../../domains/perms/forwarding/index.ts'
import { type ConnectAnswer, type MachineNow, mayConnect, mayConnectEach } from '../../domains/perms/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { type FileAction, REASONS } from '../files/file-rights.ts'
import { missingRight } from '../files/transfer-of.ts'
import type { ClipboardWay } from '../kinds/desktop/session-clipboard.ts'
import type { Program } from '../kinds/terminal/streams.ts'
import { notPermitted } from '../session/not-permitted.ts'
import { SessionRefusal } from '../session/refusal.ts'
import type { RequestBase } from '../session/session-request.ts'

export interface Permission {
  /** Whether they may connect. */
  allowed: boolean
  /** A right that they lack for what they want to do there. */
  missing: FileAction | 'forwarding' | undefined
  /** Where connections may be forwarded to from there. */
  forwarding: ForwardingRight
  /** The machine as it is called and reached now; undefined where they may not connect. */
  machine: MachineNow | undefined
  /** The databases of the server that they may use; undefined: all. */
  databases: readonly string[] | undefined
  /** Milliseconds since 1970. */
  until: number
}

/**
 * Person, target and system user of a connection; with the program that they want to run there,
 * where that is known.
 */
export type PermissionQuestion = Pick<RequestBase, 'person' | 'target' | 'systemUserId'> & { program?: Program }

export const NO_FORWARDING_HERE = 'Your permission for this asset does not include port forwarding'

/** Rights of the person now; a moment later they may be different. */
export async function permissionOf(kernel: Kernel, request: PermissionQuestion): Promise<Permission> {
  return asPermission(request, await mayConnect(kernel.db, questionOf(request)))
}

/** The same for many requests, in order, by as few statements as possible. */
export async function permissionsOfAll(kernel: Kernel, requests: readonly PermissionQuestion[]): Promise<Permission[]> {
  const answers = await mayConnectEach(kernel.db, requests.map(questionOf))
  return requests.map((request, at) => asPermission(request, answers[at] as ConnectAnswer))
}

const questionOf = ({ person, target, systemUserId }: PermissionQuestion) => ({
  userId: person.id,
  target,
  systemUserId,
})

function asPermission(
  { program }: PermissionQuestion,
  { allowed, databases, forwarding = NO_FORWARDING, machine, expireAt, mask }: ConnectAnswer,
): Permission {
  return {
    allowed,
    databases,
    forwarding,
    machine,
    missing: program?.forwards && !forwardsAnything(forwarding) ? 'forwarding' : program && missingRight(program, mask),
    until: expireAt * 1000,
  }
}

/** Throws SessionRefusal when the person may not connect, or may not do there what they want to. */
export async function askPermission(kernel: Kernel, request: PermissionQuestion): Promise<Permission> {
  const permission = await permissionOf(kernel, request)
  if (!permission.allowed) throw await notPermitted(kernel, request)
  if (permission.missing === 'forwarding') throw new SessionRefusal(NO_FORWARDING_HERE)
  if (permission.missing) throw new SessionRefusal(REASONS[permission.missing])
  return permission
}

/** Throws SessionRefusal when the person may not put files there now. */
export async function askUpload(kernel: Kernel, { person, target, systemUserId }: PermissionQuestion): Promise<void> {
  const { allowed, mask } = await mayConnect(kernel.db, { userId: person.id, target, systemUserId })
  if (!allowed || !(mask & ACTION_BITS.upload_file)) throw new SessionRefusal(REASONS.upload_file)
}

/**
 * Whether the person may take what a database answers as a file now (docs/rules/perms.md#actions),
 * and change values where they are shown: they put something there that they have not typed as a
 * statement.
 */
export async function valueRights(
  kernel: Kernel,
  { person, target, systemUserId }: PermissionQuestion,
): Promise<{ mayExport: boolean; mayEdit: boolean }> {
  const { allowed, mask } = await mayConnect(kernel.db, { userId: person.id, target, systemUserId })
  const may = (action: number) => allowed && (mask & action) !== 0
  return { mayExport: may(ACTION_BITS.download_file), mayEdit: may(ACTION_BITS.upload_file) }
}

/**
 * Whether the person may use the clipboard of a desktop now, checked again each time
 * (docs/rules/perms.md#actions).
 */
export function clipboardRights(
  kernel: Kernel,
  { person, target, systemUserId }: PermissionQuestion,
): (way: ClipboardWay) => Promise<boolean> {
  return async (way) => {
    const { allowed, mask } = await mayConnect(kernel.db, { userId: person.id, target, systemUserId })
    return allowed && (mask & ACTION_BITS[`clipboard_${way}`]) !== 0
  }
}
