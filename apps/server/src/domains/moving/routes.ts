import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { ROOT_ORG_ID } from '@sallyport/contract/constants.ts'
import { MOVE_PATH, type MoveTask } from '@sallyport/contract/resources/moving/jumpserver-move.ts'
import type { FastifyRequest } from 'fastify'
import type pg from 'pg'
import { callerOf, displayName } from '../../kernel/access/call.ts'
import { arrivedSources } from '../../kernel/arrivals/note-arrivals.ts'
import type { Database } from '../../kernel/database/database.ts'
import { invalid, notFound, refused } from '../../kernel/errors/app-error.ts'
import { attachment } from '../../kernel/http/attachment.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { isUuid } from '../../kernel/resource/conditions.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import { readMoves } from './report.ts'
import { moveBody, readMove } from './request.ts'
import { ownRuns } from './run.ts'
import { beginRun, fileOfRun, stopRun } from './runs.ts'

/** As the log of operations names it, also for the command. */
const RESOURCE = 'Import from JumpServer'
const REPORT = {
  label: RESOURCE,
  fields: plainFields({ current: 'object', latest: 'object', runs: 'list', installations: 'strings' }),
}
const LARGEST_BODY = 2 * 1024 ** 2
const FILES = { report: 'import-jumpserver.txt', differences: 'import-jumpserver-rights.txt' } as const

const unpack = promisify(gunzip)

export interface Moving {
  /** How this installation's database is reached. */
  database: pg.PoolConfig
  /** The file of `sallyport-admin`. */
  program: string
}

/** The import from JumpServer for the page of system administrators (docs/design/moving.md). */
export function registerMoving(kernel: Kernel, { database, program }: Moving): void {
  const { app, db, audit, nodes, config } = kernel
  const runs = ownRuns(kernel, program)
  const report = ({ call }: FastifyRequest) => readMoves(db, call)
  const log = (within: Database, { call }: FastifyRequest, action: 'create' | 'update', task: MoveTask, on: string) =>
    audit.record(within, call, [
      { action, resourceType: RESOURCE, resource: [task, on].filter(Boolean).join(' '), orgId: ROOT_ORG_ID },
    ])
  app.route({
    method: 'GET',
    url: MOVE_PATH,
    config: { access: ['super_admin'], summary: 'Import from JumpServer: its runs', rows: REPORT, answers: 'row' },
    handler: report,
  })
  app.route({
    method: 'POST',
    url: `${MOVE_PATH}run/`,
    bodyLimit: LARGEST_BODY,
    config: {
      access: ['super_admin'],
      summary: 'Import from JumpServer: look, try, import, prove or take back, on this node',
      takes: moveBody,
      rows: REPORT,
    },
    async handler(request) {
      const { source, ...asked } = readMove(request.body)
      const { installation } = asked
      if (installation && !(await arrivedSources(db, 'jumpserver')).includes(installation))
        throw invalid({ installation: 'Nothing has been imported from it.' })
      const id = await db.transaction(async (within) => {
        const askedBy = displayName(callerOf(request.call))
        const begun = await beginRun(within, { task: asked.task, source, node: nodes, askedBy })
        if (begun) await log(within, request, 'create', asked.task, source)
        return begun
      })
      if (!id) throw refused('busy', 'An import goes on already')
      runs.begin(id, { ...asked, language: request.call.language, database, config }, source)
      return report(request)
    },
  })
  app.route({
    method: 'POST',
    url: `${MOVE_PATH}stop/`,
    config: { access: ['super_admin'], summary: 'Import from JumpServer: stop what goes on', rows: REPORT },
    async handler(request) {
      await db.transaction(async (within) => {
        const run = await stopRun(within)
        if (!run) throw refused('bad_request', 'No import goes on')
        await log(within, request, 'update', run.task, run.source)
      })
      return report(request)
    },
  })
  for (const file of ['report', 'differences'] as const)
    app.route<{ Params: { id: string } }>({
      method: 'GET',
      url: `${MOVE_PATH}runs/:id/${file}/`,
      config: {
        access: ['super_admin'],
        summary: `Import from JumpServer: the ${file === 'report' ? 'report' : 'rights that differ'} of a run as a text`,
        answers: 'file',
      },
      async handler({ params: { id } }, reply) {
        const packed = isUuid(id) ? await fileOfRun(db, id, file) : undefined
        if (!packed) throw notFound()
        return reply
          .type('text/plain; charset=utf-8')
          .header('content-disposition', attachment(FILES[file]))
          .send(await unpack(packed))
      },
    })
}
