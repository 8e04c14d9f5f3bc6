import { createHash } from 'node:crypto'
import {
  RUNBOOK_FILE_MAX,
  RUNBOOK_FILES,
  type RunbookFile,
  type RunbookStep,
} from '@sallyport/contract/resources/ops/runbook.ts'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Call, displayName, isRoot } from '../../../kernel/access/call.ts'
import type { Operation } from '../../../kernel/audit/audit.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { deleteInSlices } from '../../../kernel/database/delete-in-slices.ts'
import { invalid, notFound } from '../../../kernel/errors/app-error.ts'
import { attachment } from '../../../kernel/http/attachment.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { isUuid } from '../../../kernel/resource/conditions.ts'
import { CHOOSE_ORG } from '../../../kernel/resource/store/prepare.ts'
import { opsRunbookFile } from '../tables.ts'

const SENT = z.object({
  name: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}/\\]+$/u),
  /** Base64 is a third longer. */
  content: z.base64().max(Math.ceil(RUNBOOK_FILE_MAX / 3) * 4),
})

/** Room for the JSON around the content. */
const BODY_MAX = Math.ceil(RUNBOOK_FILE_MAX / 3) * 4 + 4096

/** Files of the caller's organization for steps of its runbooks; those that no step names go after a day. */
export function registerRunbookFiles(kernel: Kernel): void {
  const { app, db, secrets } = kernel
  app.route({
    method: 'POST',
    url: RUNBOOK_FILES,
    bodyLimit: BODY_MAX,
    config: {
      access: ['org_admin'],
      summary: 'Runbook: send a file for its steps',
      answers: 'file',
      answerStatus: 201,
      takes: SENT,
    },
    handler: async (request, reply) => {
      const { call } = request
      const { name, content } = SENT.parse(request.body ?? {})
      // Steps take files of the organization of their runbook, which no runbook has the root for.
      if (isRoot(call)) throw invalid({ org_id: CHOOSE_ORG })
      const bytes = Buffer.from(content, 'base64')
      if (bytes.length > RUNBOOK_FILE_MAX) throw invalid({ content: 'A file of a runbook has at most 1 MB' })
      const about = { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
      const id = await db.transaction(async (tx) => {
        const [stored] = await tx
          .insert(opsRunbookFile)
          .values({
            ...about,
            org_id: call.org.id,
            content_sealed: secrets.seal(content),
            created_by: call.user ? displayName(call.user) : null,
          })
          .returning({ id: opsRunbookFile.id })
        await kernel.audit.record(tx, call, [operationOn('create', { ...about, org_id: call.org.id })])
        return String(stored?.id)
      })
      return reply.status(201).send({ id, ...about } satisfies RunbookFile)
    },
  })
  app.route<{ Params: { id: string } }>({
    method: 'GET',
    url: `${RUNBOOK_FILES}:id/`,
    config: { access: ['org_admin'], summary: 'Runbook: a file of its steps', answers: 'file' },
    handler: async ({ call, params }, reply) => {
      const file = isUuid(params.id) ? await fileOf(db, params.id, call) : undefined
      if (!file) throw notFound()
      await kernel.audit.record(db, call, [operationOn('download', file)])
      const open = secrets.open('job', `file ${file.id} of runbooks`)
      return reply
        .header('content-type', 'application/octet-stream')
        .header('content-disposition', attachment(file.name))
        .send(Buffer.from(open(file.content_sealed), 'base64'))
    },
  })
  kernel.jobs.schedule(
    { name: 'ops.clean_runbook_files', cron: '50 3 * * *', title: 'Remove files that no runbook has any more' },
    async () => {
      await removeUnused(db)
    },
  )
}

type AboutFile = Pick<typeof opsRunbookFile.$inferSelect, 'name' | 'sha256' | 'org_id'>

const operationOn = (action: 'create' | 'download', { name, sha256, org_id }: AboutFile): Operation => ({
  action,
  resourceType: 'Runbook file',
  resource: `${name} (sha256 ${sha256})`,
  orgId: org_id,
})

async function fileOf(db: Database, id: string, call: Call) {
  const { org_id } = opsRunbookFile
  const here = isRoot(call) ? undefined : eq(org_id, call.org.id)
  const [file] = await db
    .select()
    .from(opsRunbookFile)
    .where(and(eq(opsRunbookFile.id, id), here))
  return file
}

/** The files that steps name, as far as they are in that organization. */
export async function filesOf(db: Database, steps: readonly RunbookStep[], orgId: string): Promise<RunbookFile[]> {
  const ids = steps.flatMap(({ kind, file = '' }) => (kind === 'file' && isUuid(file) ? [file] : []))
  if (!ids.length) return []
  const { id, name, size, sha256, org_id } = opsRunbookFile
  return db
    .select({ id, name, size, sha256 })
    .from(opsRunbookFile)
    .where(and(inArray(id, ids), eq(org_id, orgId)))
}

/** The content of these files, for a run. */
export async function contentsOf(
  { db, secrets }: Pick<Kernel, 'db' | 'secrets'>,
  ids: readonly string[],
  reason: string,
): Promise<ReadonlyMap<string, Buffer>> {
  if (!ids.length) return new Map()
  const { id, content_sealed } = opsRunbookFile
  const rows = await db
    .select({ id, content_sealed })
    .from(opsRunbookFile)
    .where(inArray(id, [...ids]))
  const open = secrets.open('job', reason)
  return new Map(rows.map((row) => [row.id, Buffer.from(open(row.content_sealed), 'base64')]))
}

/** Files of no version that is kept; what was sent within a day may belong to a form that is not saved yet. */
const removeUnused = (db: Database): Promise<number> =>
  deleteInSlices(
    db,
    (limit) => sql`DELETE FROM ops_runbook_file WHERE id IN (
      SELECT f.id FROM ops_runbook_file f WHERE f.date_created < now() - interval '1 day' AND NOT EXISTS (
        SELECT FROM ops_runbook_version v WHERE v.steps @> jsonb_build_array(jsonb_build_object('file', f.id))) LIMIT ${limit})`,
  )
