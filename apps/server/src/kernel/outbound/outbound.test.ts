import { glob, readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, fetch } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgedAddress, judgedConnector } from './judged-lookup.ts'

let redirecting: Server
let url: string
beforeAll(async () => {
  redirecting = createServer((request, response) => {
    const { port } = redirecting.address() as AddressInfo
    const way = new URL(request.url ?? '', 'http://here').searchParams.get('to')
    response.writeHead(way ? 302 : 200, way ? { location: `http://${way}:${port}/` } : {}).end('reached')
  })
  await new Promise<void>((listening) => redirecting.listen(0, '::', listening))
  url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`
})
afterAll(() => {
  redirecting.closeAllConnections()
  redirecting.close()
})

const agent = new Agent({ connect: judgedConnector() })
const asked = (address: string) =>
  fetch(address, { dispatcher: agent }).then(
    (answer) => answer.text(),
    (error: Error) => (error.cause as Error).message,
  )

test('a call that an administrator directs to a service of this machine or network is made', async () => {
  expect(await asked(url)).toBe('reached')
})

test.each([
  '0.0.0.0',
  '0',
  '[::]',
  '[::7f00:1]',
  '[::127.0.0.1]',
  '[2002:7f00:1::]',
  '[64:ff9b:1::7f00:1]',
  '169.254.169.254',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '2852039166',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[64:ff9b::c000:c0]',
])('no call leads to %s, entered or by a redirect', async (host) => {
  const { port } = new URL(url)
  expect(await asked(`http://${host}:${port}/`)).toContain('is closed to connections from here')
  expect(await asked(`${url}?to=${host}`)).toContain('is closed to connections from here')
})

test('packets go to no closed address either', async () => {
  await expect(judgedAddress('169.254.169.254')).rejects.toThrow('is closed')
  // Systems read numbers of other forms, too.
  await expect(judgedAddress('0xa9fea9fe')).rejects.toThrow('is closed')
  expect(await judgedAddress('127.0.0.1')).toEqual({ address: '127.0.0.1', family: 4 })
})

/** Functions that make connections, and do not name their judge. */
const MAKES_CONNECTIONS =
  /\bnew Agent\(|\b(?:connectPlain|connectTls|connectTcp|createSocket|requestTls|requestPlain)\(|(?<![.\w#])fetch\(/
/**
 * Between nodes of one installation, streams that stand already, answers of our own console, and an
 * authority for certificates, which only the operator's own settings name.
 */
const OTHERWISE =
  /kernel\/nodes\/|gateway\/connectors\/(?:server-connection|kubernetes|oracle|rdp)|kernel\/jobs\/|domains\/assets\/networks\/ssh\.ts|kernel\/tls\/acme\/order/

test('everything in the server that makes connections has their addresses judged', async () => {
  const folder = new URL('../../', import.meta.url).pathname
  const unjudged: string[] = []
  for await (const file of glob('{kernel,domains,gateway}/**/*.ts', { cwd: folder })) {
    if (/\.test\.ts$|-fixture\.ts$/.test(file) || OTHERWISE.test(file)) continue
    const text = await readFile(`${folder}${file}`, 'utf8')
    if (MAKES_CONNECTIONS.test(text) && !/outbound\/judged-lookup/.test(text)) unjudged.push(file)
  }
  expect(unjudged).toEqual([])
})
