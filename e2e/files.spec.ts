/** The file manager in a real browser, over the real server, on a real sshd. */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeSystemAccount, type Sshd, startSshd } from '../apps/server/src/domains/assets/sshd-fixture.ts'
import { type Cluster, startCluster } from './cluster/cluster.ts'
import { openBrowser, openContext, signIn } from './installation.ts'
import { type Network, openNetwork } from './network.ts'
import { picturesIn } from './picture.ts'

const pictureOf = picturesIn('files')
const PASSWORD = 'Guarded-1'
/** Content of the files on this computer. */
const desk = mkdtempSync(join(tmpdir(), 'sallyport-desk-'))
const box = mkdtempSync(join(tmpdir(), 'sallyport-box-'))
const otherBox = mkdtempSync(join(tmpdir(), 'sallyport-box-'))

let cluster: Cluster
let sshd: Sshd
let browser: Browser
let network: Network
let call: Awaited<ReturnType<typeof administrator>>
let vault: Machine

let context: BrowserContext
let page: Page
let faults: string[]

beforeAll(async () => {
  ;[cluster, sshd, browser] = await Promise.all([
    startCluster({ nodes: 2, settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    startSshd(),
    openBrowser(),
  ])
  network = await openNetwork(Number(new URL(cluster.url).port))
  call = await administrator()
  vault = await machine('vault', box)
  await machine('cellar', otherBox)
  ;({ context, page, faults } = await openContext(browser, network.url, 'en'))
  await signIn(page, network.url, 'admin', PASSWORD)
  await page.waitForURL('**/ui/**')
})
afterAll(async () => {
  await browser?.close()
  network?.close()
  await sshd?.close()
  await cluster?.stop()
  for (const folder of [desk, box, otherBox]) rmSync(folder, { recursive: true, force: true })
})

async function administrator() {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(cluster.url + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const read = await answer.json()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(read)}`)
    // biome-ignore lint/suspicious/noExplicitAny: answers of many calls
    return read as any
  }
  const { token } = await send('POST', '/api/v1/authentication/auth/', { username: 'admin', password: PASSWORD })
  headers.authorization = `Bearer ${token}`
  return send
}

interface Machine {
  asset: string
  permission: string
}

async function machine(
  hostname: string,
  root: string,
  { port = sshd.port, systemUser: own = {} }: { port?: number; systemUser?: object } = {},
): Promise<Machine> {
  const { id: me } = await call('GET', '/api/v1/users/profile/')
  const asset = await call('POST', '/api/v1/assets/assets/', {
    hostname,
    ip: '127.0.0.1',
    platform: 'Linux',
    protocols: [`ssh/${port}`],
  })
  const systemUser = await call('POST', '/api/v1/assets/system-users/', {
    name: `keeper of ${hostname}`,
    username: sshd.username,
    protocol: 'ssh',
    login_mode: 'auto',
    private_key: sshd.privateKey,
    auto_push: false,
    sftp_root: root,
    ...own,
  })
  const permission = await call('POST', '/api/v1/perms/asset-permissions/', {
    name: hostname,
    users: [me],
    assets: [asset.id],
    system_users: [systemUser.id],
  })
  return { asset: asset.id, permission: permission.id }
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const left = () => page.getByRole('region', { name: 'Left pane' })
const right = () => page.getByRole('region', { name: 'Right pane' })
const row = (pane: ReturnType<typeof left>, name: string) =>
  pane.getByRole('option').filter({ has: page.getByText(name, { exact: true }) })
const tool = (pane: ReturnType<typeof left>, name: string) => pane.getByRole('button', { name, exact: true })
const transfer = (name: string) => page.locator('.fm-transfer', { hasText: name })
const picture = (name: string, of = page) => pictureOf(of, name)
/** Rows of the FTP log about a file. */
const logged = async (filename: string): Promise<string[]> => {
  const { results } = await call('GET', '/api/v1/audits/ftp-logs/?limit=1000')
  return results
    .filter((one: { filename: string }) => one.filename === filename)
    .map((one: { operate: string; is_success: boolean }) => `${one.operate} ${one.is_success}`)
}

async function openFiles(asset?: string): Promise<void> {
  await page.goto(`${network.url}/koko/elfinder/sftp/${asset ? `${asset}/` : ''}`)
  await left().getByRole('listbox').waitFor()
}

test('[A2.40 A2.67] the file manager is reached from the menu, and shows the granted machines as folders', async () => {
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('button', { name: 'Sessions' }).click()
  const link = page.getByRole('link', { name: 'File manager' })
  expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([
    '/koko/elfinder/sftp/',
    '_blank',
  ])
  await openFiles()
  await left().getByRole('option', { name: 'Default' }).dblclick()
  await row(left(), 'vault').dblclick()
  await expect.poll(() => left().getByText('Nothing here. Drop files to upload them.').isVisible()).toBe(true)
  await expect.poll(() => tool(left(), 'Upload files').getAttribute('aria-disabled')).toBeNull()
  // Above the machines there is nothing to upload to.
  await expect.poll(() => tool(right(), 'Upload files').getAttribute('aria-disabled')).toBe('true')
  await picture('tree')
})

test('[A2.67] the tree of the web terminal leads to the files of an asset', async () => {
  await page.goto(`${network.url}/luna/`)
  await page.getByRole('treeitem', { name: /vault/ }).first().click({ button: 'right' })
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('menuitem', { name: 'File manager' }).click(),
  ])
  expect(new URL(opened.url()).pathname).toBe(`/koko/elfinder/sftp/${vault.asset}/`)
  await opened.close()
})

test('several files and a folder go up whole, each with its row in the log', async () => {
  const bytes = randomBytes(20_000_000)
  writeFileSync(join(desk, 'large.bin'), bytes)
  writeFileSync(join(desk, '报告 1.txt'), '中文内容\n')
  writeFileSync(join(desk, 'empty'), '')
  mkdirSync(join(desk, 'tree/deep/er'), { recursive: true })
  for (const name of ['tree/a', 'tree/deep/b', 'tree/deep/er/c']) writeFileSync(join(desk, name), name)
  await openFiles(vault.asset)
  await left()
    .locator('[data-upload=files]')
    .setInputFiles(['large.bin', '报告 1.txt', 'empty'].map((name) => join(desk, name)))
  await left().locator('[data-upload=folder]').setInputFiles(join(desk, 'tree'))
  await expect.poll(() => page.locator('.fm-transfer[data-state=done]').count()).toBe(6)
  await page.getByText('6 of 6').waitFor()
  await picture('uploaded')
  expect(hash(readFileSync(join(box, 'large.bin')))).toBe(hash(bytes))
  expect(readFileSync(join(box, '报告 1.txt'), 'utf8')).toBe('中文内容\n')
  expect(statSync(join(box, 'empty')).size).toBe(0)
  expect(readFileSync(join(box, 'tree/deep/er/c'), 'utf8')).toBe('tree/deep/er/c')
  await row(left(), 'tree').waitFor()
  // However many parts it took.
  await expect.poll(() => logged(`${box}/large.bin`)).toEqual(['Upload true'])
  await page.getByRole('button', { name: 'Clear finished' }).click()
})

test('files and folders are dropped from the desk, empty folders too', async () => {
  writeFileSync(join(desk, 'dropped.txt'), 'dropped')
  mkdirSync(join(desk, 'whole/nothing'), { recursive: true })
  // More than a browser reads of a folder at once.
  for (let at = 0; at < 110; at++) writeFileSync(join(desk, 'whole', `f${at}`), String(at))
  const { x, y, width, height } = (await left().getByRole('listbox').boundingBox()) ?? {
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  }
  const desktop = await context.newCDPSession(page)
  const data = { items: [], files: [join(desk, 'dropped.txt'), join(desk, 'whole')], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await desktop.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height - 40, data })
  await expect.poll(() => page.locator('.fm-transfers [role=status]').textContent()).toBe('111 of 111')
  expect(readFileSync(join(box, 'dropped.txt'), 'utf8')).toBe('dropped')
  // A folder without files is made apart from them.
  await expect.poll(() => readdirSync(join(box, 'whole')).length).toBe(111)
  expect(readdirSync(join(box, 'whole/nothing'))).toEqual([])
  await page.getByRole('button', { name: 'Clear finished' }).click()
})

test('a taken name is asked about: kept both, skipped, overwritten, once for all', async () => {
  const choose = (...names: string[]) =>
    left()
      .locator('[data-upload=files]')
      .setInputFiles(names.map((name) => join(desk, name)))
  writeFileSync(join(desk, 'empty'), 'new content')
  await choose('empty', '报告 1.txt')
  await page.getByRole('button', { name: 'Keep both' }).hover()
  await picture('conflict')
  await page.getByLabel('The same for all others of this transfer').check()
  await page.getByRole('button', { name: 'Keep both' }).click()
  await row(left(), 'empty (1)').waitFor()
  await row(left(), '报告 1 (1).txt').waitFor()
  expect(readFileSync(join(box, 'empty'), 'utf8')).toBe('')
  await choose('empty')
  await page.getByRole('button', { name: 'Overwrite' }).click()
  await expect.poll(() => readFileSync(join(box, 'empty'), 'utf8')).toBe('new content')
  writeFileSync(join(desk, 'empty'), 'not wanted')
  await choose('empty')
  await page.getByRole('button', { name: 'Skip' }).click()
  await page.locator('.fm-transfer[data-state=skipped]').waitFor()
  expect(readFileSync(join(box, 'empty'), 'utf8')).toBe('new content')
  await page.getByRole('button', { name: 'Clear finished' }).click()
})

test('an upload whose line is cut goes on at the byte when the line is back', async () => {
  const bytes = randomBytes(30_000_000)
  writeFileSync(join(desk, 'cut.bin'), bytes)
  network.cutAfter(15_000_000)
  await left().locator('[data-upload=files]').setInputFiles(join(desk, 'cut.bin'))
  await expect.poll(() => network.isCut()).toBe(true)
  await page.locator('.fm-transfer[data-state=lost]').waitFor()
  await picture('lost')
  // What had come through is still being written.
  await expect.poll(() => statSync(join(box, 'cut.bin')).size).toBeGreaterThan(0)
  expect(statSync(join(box, 'cut.bin')).size).toBeLessThan(bytes.length)
  network.mend()
  await page.locator('.fm-transfer[data-state=done]').waitFor()
  expect(hash(readFileSync(join(box, 'cut.bin')))).toBe(hash(bytes))
  await page.getByRole('button', { name: 'Clear finished' }).click()
})

test('after the page was loaded again, the same file chosen again goes on where it stopped', async () => {
  const bytes = randomBytes(30_000_000)
  writeFileSync(join(desk, 'again.bin'), bytes)
  network.cutAfter(15_000_000)
  await left().locator('[data-upload=files]').setInputFiles(join(desk, 'again.bin'))
  await page.locator('.fm-transfer[data-state=lost]').waitFor()
  // Leaving asks first; who stays has lost nothing.
  const [asked] = await Promise.all([
    page.waitForEvent('dialog'),
    page.evaluate(() => setTimeout(() => location.reload())),
  ])
  expect(asked.type()).toBe('beforeunload')
  await asked.dismiss()
  await page.getByRole('button', { name: 'Pause all' }).click()
  network.mend()
  await page.reload()
  await page.getByText('Interrupted uploads: 1').waitFor()
  await picture('interrupted')
  // Until that is over, what had come through is still being written.
  await expect.poll(() => logged(`${box}/again.bin`)).toEqual(['Upload false'])
  const offset = statSync(join(box, 'again.bin')).size
  const [first] = await Promise.all([
    page.waitForRequest((request) => request.method() === 'PUT'),
    left().locator('[data-upload=files]').setInputFiles(join(desk, 'again.bin')),
  ])
  expect(Number(new URL(first.url()).searchParams.get('offset'))).toBe(offset)
  await page.locator('.fm-transfer[data-state=done]').waitFor()
  expect(hash(readFileSync(join(box, 'again.bin')))).toBe(hash(bytes))
  await expect.poll(() => logged(`${box}/again.bin`)).toEqual(['Upload true', 'Upload false'])
  await page.getByRole('button', { name: 'Clear finished' }).click()
  await expect.poll(() => page.locator('.fm-transfers').count()).toBe(0)
  expect(await page.getByText('Interrupted uploads:').count()).toBe(0)
})

test('a file comes down as it is, several come as one archive', async () => {
  await row(left(), 'large.bin').click()
  const [one] = await Promise.all([page.waitForEvent('download'), tool(left(), 'Download').click()])
  expect(one.suggestedFilename()).toBe('large.bin')
  expect(hash(readFileSync(await one.path()))).toBe(hash(readFileSync(join(box, 'large.bin'))))
  await row(left(), 'tree').click({ modifiers: ['ControlOrMeta'] })
  const [all] = await Promise.all([page.waitForEvent('download'), tool(left(), 'Download').click()])
  expect(all.suggestedFilename()).toMatch(/\.zip$/)
  const archive = readFileSync(await all.path())
  expect(archive.includes('tree/deep/er/c')).toBe(true)
  await expect.poll(() => logged(`${box}/large.bin`)).toEqual(['Download true', 'Download true', 'Upload true'])
})

test('keys rename, make a way up and down, and delete after a question that counts', async () => {
  const list = left().getByRole('listbox')
  await row(left(), 'dropped.txt').click()
  await page.keyboard.press('F2')
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  await name.fill('renamed.txt')
  await page.keyboard.press('Enter')
  await row(left(), 'renamed.txt').waitFor()
  expect(existsSync(join(box, 'dropped.txt'))).toBe(false)
  await row(left(), 'tree').click()
  await list.press('Enter')
  await row(left(), 'deep').waitFor()
  await list.press('Backspace')
  await row(left(), 'tree').click()
  await list.press('Delete')
  await page.getByText('3 files and 3 folders').waitFor()
  await picture('delete')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expect.poll(() => existsSync(join(box, 'tree'))).toBe(false)
  await expect.poll(() => logged(`${box}/tree`)).toContain('Rmdir true')
  await expect.poll(() => logged(`${box}/dropped.txt=>${box}/renamed.txt`)).toEqual(['Rename true'])
})

test('a file is copied to another machine through the gateway', async () => {
  await right().getByRole('combobox', { name: 'Machine' }).click()
  await page.locator('.fm-machine-row', { hasText: 'cellar' }).click()
  await right().getByText('Nothing here. Drop files to upload them.').waitFor()
  await row(left(), 'large.bin').click()
  await tool(left(), 'Copy to the other pane').click()
  await row(right(), 'large.bin').waitFor()
  await transfer('large.bin').and(page.locator('[data-state=done]')).waitFor()
  expect(hash(readFileSync(join(otherBox, 'large.bin')))).toBe(hash(readFileSync(join(box, 'large.bin'))))
  await expect.poll(() => logged(`${otherBox}/large.bin`)).toEqual(['Upload true'])
  // By dragging, too.
  await row(left(), 'renamed.txt').dragTo(right().getByRole('listbox'))
  await row(right(), 'renamed.txt').waitFor()
  expect(readdirSync(otherBox).sort()).toEqual(['large.bin', 'renamed.txt'])
  await picture('copied')
})

test('texts are shown in whatever Chinese they are written, markup as text; a picture is shown', async () => {
  writeFileSync(join(box, 'gbk.txt'), Buffer.from([0xd6, 0xd0, 0xce, 0xc4, 0xce, 0xc4, 0xbc, 0xfe]))
  writeFileSync(join(box, 'page.html'), '<script>document.title = "owned"</script>')
  writeFileSync(
    join(box, 'dot.png'),
    Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  )
  await tool(left(), 'Reload').click()
  await row(left(), 'gbk.txt').dblclick()
  await page.getByText('中文文件').waitFor()
  await page.getByText('Encoding: GBK').waitFor()
  await picture('preview')
  await page.keyboard.press('Escape')
  await row(left(), 'page.html').dblclick()
  await page.locator('pre', { hasText: '<script>' }).waitFor()
  expect(await page.title()).not.toBe('owned')
  await page.keyboard.press('Escape')
  await row(left(), 'dot.png').dblclick()
  await expect
    .poll(() => page.locator('.fm-preview img').evaluate((image: HTMLImageElement) => image.naturalWidth))
    .toBe(1)
  await page.keyboard.press('Escape')
})

test('Ctrl-C and Ctrl-V copy, Ctrl-X and Ctrl-V move', async () => {
  const list = left().getByRole('listbox')
  await tool(left(), 'New folder').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('inner')
  await page.keyboard.press('Enter')
  await row(left(), 'renamed.txt').click()
  await list.press('ControlOrMeta+c')
  await row(left(), 'inner').dblclick()
  await left().getByText('Nothing here.').waitFor()
  await list.press('ControlOrMeta+v')
  await row(left(), 'renamed.txt').waitFor()
  expect(existsSync(join(box, 'renamed.txt'))).toBe(true)
  await list.press('Backspace')
  await row(left(), 'gbk.txt').click()
  await list.press('ControlOrMeta+x')
  await row(left(), 'inner').dblclick()
  // It lies in both folders; this one in the one above alone.
  await row(left(), 'large.bin').waitFor({ state: 'detached' })
  await row(left(), 'renamed.txt').waitFor()
  await list.press('ControlOrMeta+v')
  await row(left(), 'gbk.txt').waitFor()
  expect([existsSync(join(box, 'gbk.txt')), existsSync(join(box, 'inner/gbk.txt'))]).toEqual([false, true])
  await list.press('Backspace')
  await row(left(), 'inner').waitFor()
})

test('actions without permission are switched off with the reason, and refused', async () => {
  await call('PATCH', `/api/v1/perms/asset-permissions/${vault.permission}/`, { actions: ['connect', 'download_file'] })
  await tool(left(), 'Reload').click()
  await expect.poll(() => tool(left(), 'Upload files').getAttribute('aria-disabled')).toBe('true')
  await row(left(), 'large.bin').click()
  expect(await tool(left(), 'Delete').getAttribute('aria-description')).toContain('no permission to upload')
  expect(await tool(left(), 'Download').getAttribute('aria-disabled')).toBeNull()
  await tool(left(), 'Delete').hover()
  await page.getByRole('tooltip', { name: /You have no permission/ }).waitFor()
  await picture('no-upload')
  // Somebody who knows the address of the call gets no further.
  const status = await page.evaluate(async (asset) => {
    const csrf = /(?:^|; )\w*csrftoken=([^;]+)/i.exec(document.cookie)?.[1] ?? ''
    const answer = await fetch(`/koko/files/?path=/@${asset}/large.bin`, {
      method: 'DELETE',
      headers: { 'x-csrftoken': csrf },
    })
    return answer.status
  }, vault.asset)
  expect(status).toBe(403)
  await call('PATCH', `/api/v1/perms/asset-permissions/${vault.permission}/`, { actions: ['connect', 'upload_file'] })
  // The tip of the tool that is pointed at lies over its neighbors.
  await page.mouse.move(0, 0)
  await tool(left(), 'Reload').click()
  await expect.poll(() => tool(left(), 'Upload files').getAttribute('aria-disabled')).toBeNull()
  await row(left(), 'large.bin').click()
  expect(await tool(left(), 'Download').getAttribute('aria-disabled')).toBe('true')
  await call('PATCH', `/api/v1/perms/asset-permissions/${vault.permission}/`, { actions: ['all'] })
})

test.skipIf(process.getuid?.() !== 0)(
  'a system user that is signed in by hand is asked for its password in the pane',
  async () => {
    const account = makeSystemAccount()
    const byPassword = await startSshd({ signIn: 'password' })
    try {
      const hand = await machine('by-hand', 'home', {
        port: byPassword.port,
        systemUser: { username: account?.username, login_mode: 'manual', private_key: '' },
      })
      await openFiles(hand.asset)
      await left().getByLabel('Password').fill('wrong')
      await left().getByRole('button', { name: 'Connect' }).click()
      await left().getByText('The server refused the login').waitFor()
      await left()
        .getByLabel('Password')
        .fill(account?.password ?? '')
      await left().getByRole('button', { name: 'Connect' }).click()
      await expect.poll(() => tool(left(), 'Upload files').getAttribute('aria-disabled')).toBeNull()
    } finally {
      await byPassword.close()
      account?.remove()
    }
  },
)

test('a machine that is not granted says so', async () => {
  await openFiles('00000000-0000-4000-8000-000000000000')
  await left().getByText('This machine is not granted to you').waitFor()
})

test('on a phone there is one pane at a time, nothing is wider than the screen, in Chinese too', async () => {
  await page.setViewportSize({ width: 390, height: 844 })
  await openFiles(vault.asset)
  await row(left(), 'large.bin').waitFor()
  expect(await right().isVisible()).toBe(false)
  await page.getByRole('radio', { name: 'Right pane' }).check()
  expect(await left().isVisible()).toBe(false)
  await picture('phone')
  await context.addCookies([{ name: 'django_language', value: 'zh-hans', url: network.url }])
  await page.reload()
  await page.getByRole('region', { name: '左侧窗格' }).waitFor()
  await picture('phone-chinese')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  expect(faults.filter((fault) => !/ERR_(CONNECTION|EMPTY|NETWORK|SOCKET)/.test(fault))).toEqual([])
})
