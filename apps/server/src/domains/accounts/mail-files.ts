import { type SQL, sql } from 'drizzle-orm'
import { displayName } from '../../kernel/access/call.ts'
import { encryptedZip, type PackedFile } from '../../kernel/files/zip.ts'
import { type Language, type Say, translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { WriteContext } from '../../kernel/resource/mount.ts'
import { notify, sendMail } from '../notifications/index.ts'
import type { TaskLog } from '../ops/index.ts'
import { requireFreshMfa } from '../users/index.ts'
import { type FileReader, fileReaders } from '../users/profile/index.ts'

/** More than most mail servers take. */
export const MAX_MAIL_BYTES = 20 * 1024 * 1024

/**
 * The people named by a plan (`ids` is a query) who may sign in and still belong to its
 * organization: only they get its secrets.
 */
export async function readersOf(
  kernel: Kernel,
  { ids, orgId, reason }: { ids: SQL; orgId: string; reason: string },
): Promise<FileReader[]> {
  const { rows } = await kernel.db.execute<{ id: string }>(sql`
    SELECT p.id FROM users_person p WHERE p.id IN (${ids}) AND p.is_valid AND (p.role IN ('Admin', 'Auditor')
      OR EXISTS (SELECT 1 FROM orgs_membership m WHERE m.user_id = p.id AND m.org_id = ${orgId}))`)
  return fileReaders(
    kernel,
    rows.map((row) => row.id),
    reason,
  )
}

/** Recipients as runs keep them: by their id, display, and whether they have a file password. */
export type KeptRecipients = Record<string, [display: string, hasPassword: boolean]>

export const keptRecipients = (readers: readonly FileReader[]): KeptRecipients =>
  Object.fromEntries(
    readers.map((person): [string, [string, boolean]] => [
      person.id,
      [displayName(person), person.filePassword !== undefined],
    ]),
  )

export const sayIn =
  (language: Language): Say =>
  (english, values) =>
    translate(language, english, values)

/** A mail with files for one person. */
export interface FileMail {
  /** Name of the plan. */
  name: string
  subject(say: Say): string
  /** Description of the attached file. */
  holds(say: Say): string
  files: readonly PackedFile[]
}

/** Sends files under the reader's own file password; false where they are too large for a mail. */
export async function sendFiles(
  kernel: Kernel,
  { email, language, filePassword = '' }: FileReader,
  { name, subject, holds, files }: FileMail,
): Promise<boolean> {
  const archive = await encryptedZip(files, filePassword)
  if (archive.length > MAX_MAIL_BYTES) return false
  const say = sayIn(language)
  const filename = `${name.replace(/[^\p{L}\p{N}._-]+/gu, '_')}-${new Date().toISOString().slice(0, 10)}.zip`
  return sendMail(kernel, {
    to: email,
    subject: subject(say),
    paragraphs: [
      holds(say),
      say(
        'It is encrypted (AES-256) with your own file encryption password; programs such as 7-Zip open it. A person who has both can sign in everywhere: keep them apart.',
      ),
    ],
    attachments: [{ filename, content: archive.toString('base64') }],
  })
}

/**
 * The people who can open a file. The others get a notice that one was due, and where they set the
 * password for it; the log says so.
 */
export async function ableReaders(
  kernel: Kernel,
  readers: readonly FileReader[],
  mail: Pick<FileMail, 'name' | 'subject'>,
  log: TaskLog,
): Promise<FileReader[]> {
  const able = readers.filter(({ filePassword }) => filePassword !== undefined)
  for (const reader of readers.filter((one) => !able.includes(one))) {
    await askForPassword(kernel, reader, mail)
    await log(`${displayName(reader)} | has no file encryption password, and was told so`)
  }
  return able
}

async function askForPassword(
  kernel: Kernel,
  { id }: FileReader,
  { name, subject }: Pick<FileMail, 'name' | 'subject'>,
): Promise<void> {
  await notify(kernel, [id], (say) => ({
    subject: subject(say),
    paragraphs: [
      say('The plan {{name}} would have sent you a file, but you have not set a file encryption password yet.', {
        name,
      }),
    ],
    link: { text: say('Set it in your profile'), path: '/ui/users/profile' },
  }))
}

/**
 * A rule: the named people get secrets in clear, as by an export, so it takes the same proof. A
 * plan that sends to nobody new needs none.
 */
export async function proveForRecipients({
  kernel,
  call,
  draft,
}: Pick<WriteContext, 'kernel' | 'call'> & {
  draft: { recipients?: readonly string[] | undefined }
}): Promise<void> {
  if (draft.recipients?.length) await requireFreshMfa(kernel, call)
}
