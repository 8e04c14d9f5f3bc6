import { z } from 'zod'

/**
 * Has zod say what is wrong with a field in the resource engine's words, which are translated.
 * `{{min}}` and `{{max}}` are filled in from the issue.
 */
z.config({ customError: messageOf })

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'Not a valid string.',
  array: 'Expected a list of items.',
  object: 'Invalid data. Expected an object.',
  record: 'Invalid data. Expected an object.',
  number: 'A valid number is required.',
  int: 'A valid integer is required.',
  boolean: 'Must be a valid boolean.',
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'Must be a valid UUID.',
  guid: 'Must be a valid UUID.',
  email: 'Enter a valid email address.',
  url: 'Enter a valid URL.',
}

function messageOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.'
      return issue.input === null ? 'This field may not be null.' : (EXPECTED[issue.expected] ?? 'Invalid input')
    case 'too_small':
      if (issue.origin === 'string')
        return issue.minimum === 1 ? BLANK : 'Ensure this field has at least {{min|character|characters}}.'
      return issue.origin === 'array'
        ? 'This list may not be empty.'
        : 'Ensure this value is greater than or equal to {{min}}.'
    case 'too_big':
      if (issue.origin === 'string') return 'Ensure this field has no more than {{max|character|characters}}.'
      return issue.origin === 'array'
        ? 'Ensure this list has no more than {{max|item|items}}.'
        : 'Ensure this value is less than or equal to {{max}}.'
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'This value does not match the required pattern.'
    case 'invalid_value':
      return issue.input === undefined ? 'This field is required.' : 'Not a valid choice.'
    default:
      return 'Invalid input'
  }
}

const BLANK = 'This field may not be blank.'
