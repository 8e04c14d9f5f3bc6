/** A page as a person uses it without a pointer: by roles and names, and by keys. */
import type { Page } from 'playwright-core'

type Role = Parameters<Page['getByRole']>[0]
/** More stops than any page has before what is looked for. */
const MAX_STOPS = 120

/** Presses Tab until what has this role and name is reached. @throws Error when it never is */
async function tabTo(page: Page, role: Role, name: string | RegExp): Promise<void> {
  const wanted = page.getByRole(role, { name }).first()
  await wanted.waitFor()
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not come to the ${role} ${name}`)
}

/** Goes to a page, or does something, by the command palette. */
async function command(page: Page, words: string, choice: RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Find pages/ }).waitFor()
  await page.keyboard.type(words)
  await page.getByRole('option', { name: choice, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

/** Chooses one of a list by its words, and leaves the list. */
async function choose(page: Page, field: RegExp, words: string): Promise<void> {
  await tabTo(page, 'combobox', field)
  await page.keyboard.type(words)
  // All are shown until the answer to what was typed has come.
  await page.getByRole('option').first().filter({ hasText: words }).waitFor()
  const box = page.getByRole('combobox', { name: field }).first()
  if (!(await box.getAttribute('aria-activedescendant'))) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
}

/** Signs in on the page before, creates a user, finds it, gives it access, and signs out. */
export async function giveAccessToNewUser(page: Page, username: string, password: string): Promise<void> {
  await tabTo(page, 'textbox', 'Username')
  await page.keyboard.type(username)
  await tabTo(page, 'textbox', 'Password')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Dashboard' }).waitFor()

  await command(page, 'create user', /^Create user Action/)
  await page.getByRole('heading', { name: 'Create user' }).waitFor()
  for (const [field, text] of [
    ['Name', 'שרה כהן'],
    ['Username', 'sara'],
    ['Email', 'sara@example.com'],
    ['Password', 'Walk-through-2'],
  ] as const) {
    await tabTo(page, 'textbox', new RegExp(`^${field}\\b`))
    await page.keyboard.type(text)
  }
  await tabTo(page, 'button', 'Submit')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'שרה כהן' }).waitFor()

  await command(page, 'users', /^Users /)
  await tabTo(page, 'textbox', 'Search')
  await page.keyboard.type('sara')
  await page.keyboard.press('Enter')
  await page.getByRole('row').filter({ hasText: 'שרה כהן' }).waitFor()

  await command(page, 'create asset permission', /^Create asset permission Action/)
  await page.getByRole('heading', { name: 'Create asset permission' }).waitFor()
  await tabTo(page, 'textbox', /^Name/)
  await page.keyboard.type('By keys')
  await choose(page, /^User(?! group)/, 'שרה כהן')
  await choose(page, /^Asset/, 'pg-05')
  await choose(page, /^System user/, 'readonly')
  await tabTo(page, 'button', 'Submit')
  await page.keyboard.press('Enter')
  await command(page, 'By keys', /^By keys /)
  await page.getByText(/ may use pg-05 as readonly/).waitFor()

  await command(page, 'sign out', /^Sign out Action/)
  await page.getByRole('textbox', { name: 'Username' }).waitFor()
}
