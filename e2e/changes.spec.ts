/**
 * Forms and questions show the effects of a change of rights before it is saved, and changes are
 * taken back, in both languages.
 */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Installation, openBrowser, openContext, signIn, startInstallation } from './installation.ts'
import { apiOf } from './machine.ts'
import { picturesIn } from './picture.ts'

const PASSWORD = 'Guarded-door-1'
const PERMISSIONS = '/api/v1/perms/asset-permissions/'
const GROUPS = '/api/v1/users/groups/'
const picture = picturesIn('changes')

let installation: Installation
let browser: Browser
let asset: string
let own: string
let anna: string
let account: string

beforeAll(async () => {
  ;[installation, browser] = await Promise.all([
    startInstallation({ settings: { SALLYPORT_ADMIN_PASSWORD: PASSWORD } }),
    openBrowser(),
  ])
  const { get, post, profile } = await apiOf(installation, PASSWORD)
  const [root] = await get<{ id: string }[]>('/api/v1/assets/nodes/')
  const person = { name: 'Anna', username: 'anna', email: 'anna@example.com' }
  anna = (await post('/api/v1/users/users/', person)).id ?? ''
  const machine = { hostname: 'web-1', ip: '10.0.0.1', platform: 'Linux', protocols: ['ssh/22'], nodes: [root?.id] }
  asset = (await post('/api/v1/assets/assets/', machine)).id ?? ''
  const login = { name: 'deploy', username: 'deploy', protocol: 'ssh', login_mode: 'manual' }
  account = (await post('/api/v1/assets/system-users/', login)).id ?? ''
  const grant = { nodes: [root?.id], system_users: [account], actions: ['connect'] }
  await post(PERMISSIONS, { name: 'Web', users: [anna], ...grant })
  own = (await post(PERMISSIONS, { name: 'Own', users: [profile.id], ...grant })).id ?? ''
})

afterAll(async () => {
  await browser?.close()
  await installation?.stop()
})

const WORDS = {
  en: {
    ask: 'What this changes',
    idle: 'Nobody gains or loses a right.',
    lost: 'Lost: 2 rights of 2 people',
    right: 'Anna(anna) → web-1(10.0.0.1) (deploy): Connect',
    self: 'You take rights from yourself.',
    remove: 'Delete',
  },
  'zh-hans': {
    ask: '此更改的影响',
    idle: '没有人获得或失去权限。',
    lost: '失去：2 人的 2 项权限',
    right: 'Anna(anna) → web-1(10.0.0.1) (deploy): 连接',
    self: '您将收回自己的权限。',
    remove: '删除',
  },
} as const

test.each(['en', 'zh-hans'] as const)(
  'the form of an asset says what saving it changes, and the question before a deletion does by itself (%s)',
  async (language) => {
    const words = WORDS[language]
    const { page, faults } = await openContext(browser, installation.url, language)
    await signIn(page, installation.url, 'admin', PASSWORD)
    await page.waitForURL('**/ui/**')
    await page.goto(`${installation.url}/ui/assets/assets/${asset}/update`)
    await page.getByRole('button', { name: words.ask }).click()
    await page.getByText(words.idle).waitFor()
    await page.locator('[data-group="Other"] button[aria-expanded]').click()
    await page.locator('#is_active').click()
    await page.getByText(words.lost).waitFor()
    await page.getByText(words.right).waitFor()

    await page.goto(`${installation.url}/ui/perms/asset-permissions/${own}`)
    await page.getByRole('button', { name: words.remove, exact: true }).first().click()
    const notice = page.getByRole('dialog').or(page.getByRole('alertdialog')).getByText(words.self)
    await notice.waitFor()
    expect(faults).toEqual([])
    const { get } = await apiOf(installation, PASSWORD)
    expect(await get(`/api/v1/assets/assets/${asset}/`), 'nothing was saved').toMatchObject({ is_active: true })
  },
)

const UNDO = {
  en: {
    group: 'Night watch',
    submit: 'Submit',
    undo: 'Undo',
    undone: 'Undone',
    changes: 'Changes',
    remove: 'Delete',
    sure: 'Delete',
    deleted: /deleted the user group Night watch/,
    comesBack: 'User group Night watch comes back',
    wasUndone: 'This change has been undone.',
    since: 'Changed since by a later change:',
    leave: 'Leave as it is',
  },
  'zh-hans': {
    group: '夜班',
    submit: '提交',
    undo: '撤销',
    undone: '已撤销',
    changes: '变更',
    remove: '删除',
    sure: '确 定',
    deleted: /删除了用户组 夜班/,
    comesBack: '用户组 夜班 将恢复',
    wasUndone: '此更改已撤销。',
    since: '此后又被更改的字段：',
    leave: '保持现状',
  },
} as const

/** A group with a person and a permission, as changes are made to it by hand or by others meanwhile. */
async function makeGroup(name: string) {
  const { get, post, patch } = await apiOf(installation, PASSWORD)
  const { id } = await post(GROUPS, { name, comment: 'first', users: [anna] })
  const grant = { user_groups: [id], assets: [asset], system_users: [account], actions: ['connect'] }
  await post(PERMISSIONS, { name: `Of ${name}`, ...grant })
  const [permission] = await get<{ id: string }[]>(`${PERMISSIONS}?name=${encodeURIComponent(`Of ${name}`)}`)
  return {
    id,
    page: `${installation.url}/ui/users/groups/${id}`,
    read: () => get<{ name: string; comment: string; users: string[] }>(`${GROUPS}${id}/`),
    permitted: () => get<{ user_groups: string[] }>(`${PERMISSIONS}${permission?.id}/`),
    change: (body: object) => patch(`${GROUPS}${id}/`, body),
  }
}

const dialogOf = (page: Page) => page.getByRole('dialog').last()

test.each(['en', 'zh-hans'] as const)(
  'a change is taken back from its message, a deletion from the operation log, and what has changed meanwhile is asked about (%s)',
  async (language) => {
    const words = UNDO[language]
    const group = await makeGroup(words.group)
    const { page, faults } = await openContext(browser, installation.url, language)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await signIn(page, installation.url, 'admin', PASSWORD)
    await page.waitForURL('**/ui/**')

    // From the message after it, at once.
    await page.goto(`${group.page}/update`)
    await page.locator('#name').fill('Day watch')
    await button(words.submit).click()
    await button(words.undo).waitFor()
    await picture(page, `message-${language}`)
    await button(words.undo).click()
    await page.getByText(words.undone, { exact: true }).waitFor()
    expect(await group.read()).toMatchObject({ name: words.group, users: [anna] })

    // A deletion from the operation log: with its id, its people and its permission.
    await page.goto(group.page)
    await button(words.remove).click()
    await picture(page, `question-${language}`)
    await page.getByRole('alertdialog').getByRole('button', { name: words.sure }).click()
    await page.waitForURL(/groups(\?|$)/)
    expect(await group.permitted()).toMatchObject({ user_groups: [] })
    await page.goto(`${installation.url}/ui/audits/operate-log`)
    await page.getByRole('button', { name: words.deleted }).click()
    await dialogOf(page).getByRole('button', { name: words.undo }).waitFor()
    await picture(page, `event-${language}`)
    await dialogOf(page).getByRole('button', { name: words.undo }).click()
    await page.getByText(words.comesBack).waitFor()
    await picture(page, `comes-back-${language}`)
    await dialogOf(page).getByRole('button', { name: words.undo }).click()
    await page.getByText(words.wasUndone).waitFor()
    await picture(page, `undone-${language}`)
    expect(await group.read()).toMatchObject({ id: group.id, comment: 'first', users: [anna] })
    expect(await group.permitted()).toMatchObject({ user_groups: [group.id] })

    // From the object's changes: one field has been changed since, the other has not.
    await group.change({ name: `${words.group} 2`, comment: 'third' })
    await group.change({ comment: 'fourth' })
    await page.goto(group.page)
    await page.getByRole('tab', { name: words.changes }).click()
    await picture(page, `changes-${language}`)
    const change = page.getByRole('row').filter({ hasText: 'first → third' })
    await change.getByRole('button').click()
    const sides = page.getByRole('table', { name: words.since })
    await sides
      .getByRole('row')
      .filter({ hasText: /first.*third.*fourth/ })
      .waitFor()
    await sides.getByLabel(words.leave).check()
    await picture(page, `sides-${language}`)
    await dialogOf(page).getByRole('button', { name: words.undo }).click()
    await page.getByRole('heading', { name: new RegExp(`${words.group}$`) }).waitFor()
    expect(await group.read(), 'the later comment stays').toMatchObject({ name: words.group, comment: 'fourth' })
    expect(faults).toEqual([])
  },
)
