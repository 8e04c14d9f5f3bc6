import { WIRE } from '@sallyport/contract/constants.ts'
import { ERROR_CODES } from '@sallyport/contract/errors.ts'
import type { Json } from './schemas.ts'

export const reference = (kind: 'schemas' | 'responses' | 'parameters', name: string): Json => ({
  $ref: `#/components/${kind}/${name}`,
})
export const inJson = (schema: Json): Json => ({ content: { 'application/json': { schema } } })

const text = { type: 'string' }

/** Ways in which a caller is known; one of them is enough. */
export const SECURITY_SCHEMES: Json = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'Token of POST /api/v1/authentication/tokens/, for a day.',
  },
  signature: {
    type: 'http',
    scheme: 'signature',
    description:
      'HTTP Signature with an access key: hmac-sha256 with its secret over (request-target) and date. The header Date must be of these minutes.',
  },
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'A private token, written `Token <token>`. It is made on the command line of the server.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: WIRE.sessionCookie,
    description: `The session of a browser. Calls that change something repeat the cookie ${WIRE.csrfCookie} in the header ${WIRE.csrfHeader}.`,
  },
  bootstrap: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The bootstrap token of the installation, written `BootstrapToken <token>`, for components alone.',
  },
}

const query = (description: string, schema: Json = text): Omit<Json, 'name'> => ({ in: 'query', description, schema })
const natural = { type: 'integer', minimum: 0 }

const LIST_QUERY: Readonly<Record<string, Omit<Json, 'name'>>> = {
  search: query('Words, of which each must be found in the row.'),
  order: query('Field to order by; a leading `-` descends.'),
  limit: query('Rows of a page. Without it, or with 0, the answer is the whole list as an array.', natural),
  offset: query('Rows that come before the page.', natural),
  ids: query('Ids with commas between: those rows alone.'),
  spm: query('Reference of a selection, from POST /api/v1/common/resources/cache/.'),
  fields: query('Names of fields with commas between: those alone are answered.'),
  fields_size: query('How many fields are answered.', { type: 'string', enum: ['mini', 'small'] }),
  format: query('The list as a file.', { type: 'string', enum: ['json', 'csv', 'xlsx'] }),
}
export const LIST_PARAMETERS = Object.keys(LIST_QUERY)

export const PARAMETERS: Json = {
  ...Object.fromEntries(Object.entries(LIST_QUERY).map(([name, rest]) => [name, { name, ...rest }])),
  organization: {
    name: WIRE.orgHeader,
    in: 'header',
    description: 'Organization of the call: its id, or `root` for all of them where the caller may see all.',
    schema: text,
    example: '00000000-0000-0000-0000-000000000002',
  },
  preview: {
    name: 'preview',
    ...query('With `true`, nothing is changed: the answer says what the call would do.', { type: 'boolean' }),
  },
}

const FIELD_ERRORS: Json = {
  description: 'Messages under the names of the fields, nested as the body is.',
  type: 'object',
  additionalProperties: {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { anyOf: [text, { type: 'array' }, reference('schemas', 'FieldErrors')] } },
      reference('schemas', 'FieldErrors'),
    ],
  },
  examples: [{ hostname: ['This field is required.'] }],
}

const REFUSAL: Json = {
  description: 'A refusal that no single field is the reason for, or a fault.',
  type: 'object',
  properties: {
    detail: { type: 'string', description: 'A sentence for people, in their language.' },
    code: {
      type: 'string',
      description: `For programs. Codes of the whole API: ${Object.keys(ERROR_CODES).join(', ')}. Some calls have codes of their own.`,
    },
    request_id: { type: 'string', description: 'Of a fault: to be quoted to whoever runs the server.' },
    error: { type: 'string', description: 'Of calls that sign somebody in: a code, or the sentence.' },
    msg: { type: 'string', description: 'The sentence, where `error` is a code.' },
  },
  additionalProperties: true,
  examples: [{ detail: 'Not found.', code: 'object_does_not_exist' }],
}

const METADATA: Json = {
  description: 'The fields of each method that the caller may use, for those who draw lists and forms.',
  type: 'object',
  properties: {
    name: text,
    actions: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: { type: 'object' } },
    },
  },
  additionalProperties: true,
  examples: [{ name: 'Asset', actions: { POST: { hostname: { type: 'string', required: true, label: 'Hostname' } } } }],
}

/** Schemas that do not come from resources. Their names begin with a capital, those of resources do not. */
export const SCHEMAS: Json = { FieldErrors: FIELD_ERRORS, Refusal: REFUSAL, Metadata: METADATA }

const refusal = (description: string, detail: string, code: string): Json => ({
  description,
  content: { 'application/json': { schema: reference('schemas', 'Refusal'), example: { detail, code } } },
})

export const RESPONSES: Json = {
  Invalid: {
    description: 'What was sent is wrong: messages by field, for a list those of each row, else a sentence.',
    content: {
      'application/json': {
        schema: {
          anyOf: [
            reference('schemas', 'Refusal'),
            reference('schemas', 'FieldErrors'),
            { type: 'array', items: { anyOf: [reference('schemas', 'FieldErrors'), text] } },
          ],
        },
        examples: {
          fields: { value: { hostname: ['This field is required.'] } },
          rows: { value: [{}, { ip: ['This field must be unique.'] }] },
          sentence: { value: { detail: 'limit must be a whole number', code: 'bad_request' } },
        },
      },
    },
  },
  NotAuthenticated: refusal(
    'Nobody is signed in, or the credential is wrong or has run out.',
    'Authentication credentials were not provided.',
    'not_authenticated',
  ),
  Forbidden: refusal(
    'The caller may not do this here, or no license is valid.',
    'You do not have permission to perform this action.',
    'permission_denied',
  ),
  NotFound: refusal(
    'There is none, or it is in another organization: the two are not told apart.',
    'Not found.',
    'object_does_not_exist',
  ),
  Other: refusal(
    '409 changed at the same time · 413 too large · 429 too often (Retry-After says how long) · 503 the database is away · 507 the disk is full · 500 a fault of the server.',
    'Too many requests: try again in a minute',
    'too_many_requests',
  ),
}
