import type { Field, Fields } from '@sallyport/contract/define.ts'
import { shapeOf } from '../../resource/shapes.ts'

export type Side = 'read' | 'written' | 'changed'

const ID = '0193e0f2-6a1c-7c3e-9d4b-5f2a8c7e1b60'

/** Values by the names of fields, as a person would write them. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  name: 'Payments',
  hostname: 'web-1',
  ip: '10.0.0.7',
  username: 'deploy',
  user: 'Alice(alice)',
  asset: 'web-1(10.0.0.7)',
  system_user: 'deploy(deploy)',
  comment: '',
  org_name: 'Default',
  created_by: 'Administrator',
  url: 'https://sallyport.example.com/',
  protocols: ['ssh/22'],
  ip_group: ['10.0.0.0/8'],
}

/**
 * Example of an object with these fields. One to be sent has what must be, and a name; one that is
 * answered has every field.
 */
export function exampleOf(fields: Fields, side: Side): Record<string, unknown> {
  const shown = Object.entries(fields).filter(([name, field]) => {
    if (side === 'read') return !field.writeOnly
    if (field.readOnly) return false
    return side === 'written' ? field.required || name === 'name' : ['name', 'comment', 'is_active'].includes(name)
  })
  const row = Object.fromEntries(shown.map(([name, field]) => [name, valueFor(name, field, side)]))
  // The shape that an object has goes by another field: both are shown, or neither.
  for (const [name, field] of shown)
    if (field.shapeBy) {
      const by = fields[field.shapeBy]
      row[field.shapeBy] ??= by && valueFor(field.shapeBy, by, side)
      row[name] = exampleOf(shapeOf(field, String(row[field.shapeBy])), side)
    }
  return row
}

function valueFor(name: string, field: Field, side: Side): unknown {
  const { type, choices = {}, integer, min, fields, to, by } = field
  switch (type) {
    case 'uuid':
      return ID
    case 'email':
      return 'alice@example.com'
    case 'url':
      return 'https://sallyport.example.com/'
    case 'integer':
    case 'float':
      return min ?? 1
    case 'boolean':
      return true
    case 'datetime':
      return '2026/11/21 07:08:09 +0800'
    case 'choice': {
      const [first] = Object.keys(choices)
      if (first === 'true' || first === 'false') return first === 'true'
      return integer ? Number(first) : (first ?? 'text')
    }
    case 'multichoice':
      return Object.keys(choices).slice(0, 1)
    case 'strings':
      return BY_NAME[name] ?? Array.from({ length: field.minItems ?? 0 }, () => name)
    case 'ref':
      return to && by !== 'name' ? ID : 'Linux'
    case 'refs':
      return to ? [by === 'name' ? 'Linux' : ID] : []
    case 'object':
      return fields ? exampleOf(fields, side) : {}
    case 'list':
      return fields ? [exampleOf(fields, side)] : []
    default:
      return textOf(name, field)
  }
}

/** A text that fits its field: patterns are for what a name alone can tell. */
function textOf(name: string, { maxLength, minLength = 0, pattern, default: otherwise }: Field): string {
  const known = BY_NAME[name] ?? otherwise ?? name
  const text = String(typeof known === 'string' ? known : name).padEnd(minLength, 'x')
  const cut = maxLength ? text.slice(0, maxLength) : text
  if (!pattern || new RegExp(pattern).test(cut)) return cut
  return (
    ['10.0.0.7', '1', 'a', 'A1', '0123456789abcdef', '#336699', ''].find((one) => new RegExp(pattern).test(one)) ?? cut
  )
}
