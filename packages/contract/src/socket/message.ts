/**
 * How messages of a socket are defined, told and taken. A protocol says, for each direction, which
 * kinds of messages there are and what each carries; from that come the types of both sides and the
 * one door that takes what arrives.
 *
 * On the wire a message is a text frame with `{id, type, data}`. `data` is always a string: nothing,
 * words, or JSON (its `form`). Bytes of terminals, pictures and files go as binary frames, which are
 * no messages.
 */
import * as z from 'zod/mini'

/** One kind of message: how `data` is written, and what is in it. */
export interface Kind<Schema extends z.core.$ZodType = z.core.$ZodType> {
  readonly form: 'bare' | 'text' | 'json'
  readonly schema: Schema
}
export type Kinds = Readonly<Record<string, Kind>>

/** What two sides say to each other. */
export interface Protocol {
  readonly fromClient: Kinds
  readonly fromGateway: Kinds
}

/** Carries nothing; what else is in `data` is not looked at. */
export const bare: Kind<z.ZodMiniUndefined> = { form: 'bare', schema: z.undefined() }

/** Carries words, or one of some words, as they are. */
export const text = <Schema extends z.core.$ZodType<string, string>>(schema: Schema): Kind<Schema> => ({
  form: 'text',
  schema,
})

/** Carries JSON. */
export const json = <Schema extends z.core.$ZodType>(schema: Schema): Kind<Schema> => ({ form: 'json', schema })

/** Every message of some kinds, by its `type`; `data` as it is taken. */
export type MessageOf<K extends Kinds> = K extends Kinds
  ? { [Type in keyof K & string]: { type: Type; data: z.output<K[Type]['schema']> } }[keyof K & string]
  : never

/** Every message of some kinds; `data` as it was sent. */
export type SentMessageOf<K extends Kinds> = K extends Kinds
  ? { [Type in keyof K & string]: { type: Type; data: z.input<K[Type]['schema']> } }[keyof K & string]
  : never

/** Sends messages of some kinds: `data` follows where the kind carries any. */
export type Send<K extends Kinds> = <Type extends SentMessageOf<K>['type']>(
  type: Type,
  ...data: ArgumentsOf<Extract<SentMessageOf<K>, { type: Type }>['data']>
) => void
type ArgumentsOf<Data> = [Data] extends [undefined] ? [] : [data: Data]

/** What takes each kind: one that is left out, or that there is not, does not compile. */
export type Handlers<K extends Kinds> = HandlersOf<SchemasOf<K>>
export type SchemasOf<K extends Kinds> = { readonly [Type in keyof K]: K[Type]['schema'] }

/** The same of generic code, by the schemas alone. */
export type Schemas = Readonly<Record<string, z.core.$ZodType>>
export type KindsOf<S extends Schemas> = { readonly [Type in keyof S]: Kind<S[Type]> }
export type HandlersOf<S extends Schemas> = { readonly [Type in keyof S]: (data: z.output<S[Type]>) => void }

/** Why a message was refused. */
export type Refusal = 'unknown' | 'malformed'

const isOf = <Of extends object>(kinds: Of, type: PropertyKey): type is keyof Of => Object.hasOwn(kinds, type)

/** Writes `data` as the wire has it. */
export const written = (data: unknown): string =>
  typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data)

/**
 * The one door: hands `data` of a message to what takes its kind, or answers why it did not.
 * `parse` reads JSON, and throws where there is none.
 */
export function take<S extends Schemas>(
  kinds: KindsOf<S>,
  on: HandlersOf<NoInfer<S>>,
  { type, data = '' }: { type: string; data?: string | undefined },
  parse: (text: string) => unknown = JSON.parse,
): Refusal | undefined {
  return isOf(kinds, type) ? hand(kinds, on, type, (form) => dataAs(form, data, parse)) : 'unknown'
}

function hand<S extends Schemas, Type extends keyof S>(
  kinds: KindsOf<S>,
  on: HandlersOf<S>,
  type: Type,
  valueIn: (form: Kind['form']) => unknown,
): Refusal | undefined {
  const { form, schema } = kinds[type]
  const read = z.safeParse(schema, valueIn(form))
  if (!read.success) return 'malformed'
  on[type](read.data)
  return undefined
}

/** No schema takes this, as a sign of broken JSON. */
const NO_JSON = Symbol('no JSON')

function dataAs(form: Kind['form'], data: string, parse: (text: string) => unknown): unknown {
  if (form === 'bare') return undefined
  if (form === 'text') return data
  try {
    return parse(data)
  } catch {
    return NO_JSON
  }
}

/** Characters in the name of a kind and of a line, and in what a client's message carries. */
const NAME_MAX = 64
const CLIENT_DATA_MAX = 1024 * 1024

/** A text frame of a client. */
export const clientEnvelope = z.object({
  id: z.optional(z.string().check(z.maxLength(NAME_MAX))),
  type: z.string().check(z.maxLength(NAME_MAX)),
  data: z.optional(z.string().check(z.maxLength(CLIENT_DATA_MAX))),
})

/** A text frame of the gateway; other gateways of this API put refusals into `err`. */
export const gatewayEnvelope = z.object({
  id: z.optional(z.string()),
  type: z.string(),
  data: z.optional(z.string()),
  err: z.optional(z.string()),
})

export type GatewayEnvelope = z.output<typeof gatewayEnvelope>

/** A text frame of JSON by its schema; undefined if it is malformed, or no text. */
export function readFrame<Schema extends z.core.$ZodType>(
  schema: Schema,
  frame: unknown,
): z.output<Schema> | undefined {
  const read = z.safeParse(schema, typeof frame === 'string' ? dataAs('json', frame, JSON.parse) : NO_JSON)
  return read.success ? read.data : undefined
}

/** A text frame of the gateway; undefined if it is malformed. */
export const readGatewayEnvelope = (frame: string): GatewayEnvelope | undefined => readFrame(gatewayEnvelope, frame)

/** For pages whose policy forbids code that is made at run time: checks are interpreted from now on. */
export const withoutCodeAtRunTime = (): void => void z.config({ jitless: true })
