import { afterEach, expect, test, vi } from 'vitest'
import { ApiError } from '../../lib/api.ts'
import { serve } from '../../test/harness.tsx'
import { newTask, type RowAnswer } from './import-task.ts'
import { bodyOf, rowCalls, rowErrors } from './row-calls.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

const LABELS = { id: 'ID', name: 'Name', protocols: 'Protocols' }
const rowsOf = (...values: Record<string, unknown>[]) => newTask(values).rows
const ignore = new AbortController().signal

test('[B7.45] create leaves empty cells out, so that defaults apply; update empties what is empty', () => {
  const values = { name: 'a', comment: '', tags: [], domain: undefined, port: 0, is_active: false }
  expect(bodyOf('create', values)).toEqual({ name: 'a', port: 0, is_active: false })
  expect(bodyOf('update', values)).toBe(values)
})

test('[B8.12] errors are kept per field with its label; what belongs to no field is under no name', () => {
  const of = (status: number, body: unknown) => rowErrors(new ApiError(status, body, 'x'), LABELS)
  expect(
    of(400, { name: ['Taken', 'Long'], protocols: [[], ['Bad']], other: ['Odd'], non_field_errors: ['No'] }),
  ).toEqual({
    name: 'Name: Taken; Long',
    protocols: 'Protocols: Bad',
    '': 'other: Odd; No',
  })
  expect(of(403, { detail: 'Not yours', code: 'permission_denied' })).toEqual({ '': 'Not yours' })
  expect(of(400, {})).toEqual({ '': 'Bad request, please check again' })
})

test('[B7.45] create posts to the list, update puts to the row; a row without id is not sent', async () => {
  const calls = serve(() => ({ body: {} }))
  const [one, none] = rowsOf({ id: 'a/b', name: 'x' }, { id: ' ', name: 'y' })
  if (!one || !none) throw new Error('two rows')
  await rowCalls('/x/', 'create', LABELS).send(one)
  await rowCalls('/x/', 'update', LABELS).send(one)
  expect(await rowCalls('/x/', 'update', LABELS).send(none)).toMatchObject({
    errors: { id: 'ID: This field is required' },
    halt: false,
  })
  expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['POST', '/x/', { id: 'a/b', name: 'x' }],
    ['PUT', '/x/a%2Fb/', { id: 'a/b', name: 'x' }],
  ])
})

test('on the server: one upload, followed to its end, with answers by the rows of the file', async () => {
  const reported: RowAnswer[] = []
  const asked: (string | null)[] = []
  const calls = serve(({ method, query }) => {
    if (method === 'POST') return { status: 202, body: { id: 'job' } }
    asked.push(query.get('after'))
    return asked.length === 1
      ? { body: { status: 'running', finished: false, results: [{ index: 0, errors: null }] } }
      : { body: { status: 'done', finished: true, results: [{ index: 1, errors: { name: ['Taken'] } }] } }
  })
  const waiting = rowsOf({ name: 'sent before' }, { name: 'x', comment: '' }, { name: 'y' }).slice(1)
  expect(await rowCalls('/x/', 'create', LABELS).sendAll(waiting, (answers) => reported.push(...answers), ignore)).toBe(
    'done',
  )
  expect(calls[0]).toMatchObject({
    path: '/x/import-jobs/',
    body: { mode: 'create', rows: [{ name: 'x' }, { name: 'y' }] },
  })
  expect(asked).toEqual(['-1', '0'])
  expect(reported).toEqual([
    { index: 1, errors: undefined },
    { index: 2, errors: { name: 'Name: Taken' } },
  ])
})

test('on the server: a stop is sent once, and a broken line is tried again', async () => {
  const stop = new AbortController()
  const methods: string[] = []
  let broken = true
  vi.stubGlobal('fetch', async (_: string, { method }: RequestInit) => {
    methods.push(method ?? '')
    const answer = (body: unknown) =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    if (method === 'POST') return answer({ id: 'job' })
    if (method === 'DELETE') return new Response(null, { status: 204 })
    if (broken) {
      broken = false
      throw new TypeError('network')
    }
    if (methods.includes('DELETE')) return answer({ status: 'stopped', finished: true, results: [] })
    stop.abort()
    return answer({ status: 'running', finished: false, results: [] })
  })
  expect(await rowCalls('/x/', 'create', LABELS).sendAll(rowsOf({ name: 'x' }), () => {}, stop.signal)).toBe('stopped')
  expect(methods).toEqual(['POST', 'GET', 'GET', 'DELETE', 'GET'])
})

test('on the server: more than an upload holds goes in several, one after the other', async () => {
  const sizes: number[] = []
  serve(({ method, body }) => {
    if (method === 'POST') sizes.push((body as { rows: unknown[] }).rows.length)
    return { body: { id: 'job', status: 'done', finished: true, results: [{ index: 0, errors: null }] } }
  })
  const reported: number[] = []
  const rows = rowsOf(...Array.from({ length: 5001 }, () => ({ name: 'x' })))
  await rowCalls('/x/', 'create', LABELS).sendAll(
    rows,
    (answers) => reported.push(...answers.map(({ index }) => index)),
    ignore,
  )
  expect([sizes, reported]).toEqual([
    [5000, 1],
    [0, 5000],
  ])
})

test.each([
  [400, false],
  [401, true],
  [403, true],
  [404, false],
  [500, false],
  [503, true],
])('a row that is answered with %i: the rows after it are given up: %s', async (status, halt) => {
  serve(() => ({ status, body: { detail: 'no', code: 'x' } }))
  const [row] = rowsOf({ name: 'x' })
  if (row) expect(await rowCalls('/x/', 'create', LABELS).send(row)).toEqual({ index: 0, errors: { '': 'no' }, halt })
})
