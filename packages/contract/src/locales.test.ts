import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Field } from './define.ts'
import { resources } from './resources/all-fixture.ts'
import { TICKET_META } from './resources/tickets/ticket-form.ts'
import { ALL_SETTINGS } from './settings/index.ts'

const FOLDER = fileURLToPath(new URL('./locales/cn/', import.meta.url))

const catalogs = readdirSync(FOLDER).map((file) => ({ file, text: readFileSync(FOLDER + file, 'utf8') }))
const entries = catalogs.flatMap(({ text }) => Object.entries(JSON.parse(text) as Record<string, string>))
const known = new Map(entries)

/** Every English text that definitions show to people, with where it stands. */
function texts(): Map<string, string> {
  const found = new Map<string, string>()
  const add = (text: string | undefined, place: string) => {
    if (text && !found.has(text)) found.set(text, place)
  }
  const addField = (field: Field, place: string) => {
    add(field.label, place)
    add(field.helpText, place)
    for (const choice of Object.values(field.choices ?? {})) add(choice, place)
    for (const shape of [field.fields ?? {}, ...Object.values(field.shapes ?? {})])
      for (const [name, child] of Object.entries(shape)) addField(child, `${place}.${name}`)
  }
  for (const [name, field] of Object.entries(ALL_SETTINGS)) addField(field, name)
  for (const [type, fields] of Object.entries(TICKET_META))
    for (const [name, field] of Object.entries(fields)) addField(field, `${type}.${name}`)
  for (const { name, label, fields, filters } of resources) {
    add(label, name)
    for (const [fieldName, field] of Object.entries(fields)) addField(field, `${name}.${fieldName}`)
    for (const filter of filters) {
      if (typeof filter === 'string') continue
      add(filter.label, `${name}?${filter.name}`)
      for (const choice of Object.values(filter.choices ?? {})) add(choice, `${name}?${filter.name}`)
    }
  }
  return found
}

test('[A1.19] every label, choice and help text of a definition has its Chinese', () => {
  const found = texts()
  expect(found.size).toBeGreaterThan(300)
  expect([...found].filter(([text]) => !known.get(text)).map(([text, place]) => `${place}: ${text}`)).toEqual([])
})

test('[A1.19] no Chinese of the contract without a definition that uses it', () => {
  const found = texts()
  expect([...known.keys()].filter((text) => !found.has(text))).toEqual([])
})

test('[A1.19] an English text has one Chinese, written in one catalog once', () => {
  // From the raw text, since parsing drops all but the last of two equal keys.
  const keys = catalogs.flatMap(({ file, text }) =>
    [...text.matchAll(/^\s*("(?:[^"\\]|\\.)*"):/gm)].map((match) => ({
      file,
      key: JSON.parse(match[1] ?? '') as string,
    })),
  )
  expect(keys.length).toBeGreaterThanOrEqual(known.size)
  const twice = keys.filter(({ key }, index) => keys.findIndex((one) => one.key === key) !== index)
  expect(twice).toEqual([])
})
