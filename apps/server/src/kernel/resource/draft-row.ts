import type { Field, Fields, ResourceDefinition, ValueOf } from '@sallyport/contract/define.ts'

/**
 * Values to be stored, by field or column, typed by the definition and the stored row: a renamed
 * field breaks the build. All are optional, as a PATCH sends some of them and rules remove others.
 * Without a definition, any values.
 */
export type DraftRow<D extends ResourceDefinition, Stored> = ResourceDefinition extends D
  ? Record<string, unknown>
  : Partial<WritableValues<D['fields'], Known<Stored>> & OtherColumns<D['fields'], Known<Stored>>>

/** The table's columns; unknown for any row. */
type Known<Stored> = string extends keyof Stored ? unknown : Stored

/**
 * A field may be given what its column takes where that is of another type: names become a mask,
 * for example.
 */
type WritableValues<F extends Fields, C> = {
  -readonly [K in keyof F as F[K] extends { readOnly: true } ? never : K]: K extends keyof C
    ? ReadValue<F[K]> extends C[K]
      ? ReadValue<F[K]>
      : ReadValue<F[K]> | C[K]
    : ReadValue<F[K]>
}

/** Columns that clients don't write. */
type OtherColumns<F extends Fields, C> = {
  [K in keyof C as K extends keyof F ? (F[K] extends { readOnly: true } ? K : never) : K]: C[K]
}

/** The type as which the engine reads a field, see `schema.ts`. */
type ReadValue<F extends Field> = F['type'] extends 'datetime' ? Date | Empty<F> : Inside<F> | Empty<F>

type Inside<F extends Field> = F extends { fields: infer N extends Fields }
  ? F['type'] extends 'list'
    ? ReadObject<N>[]
    : ReadObject<N>
  : F extends { shapes: infer S extends Readonly<Record<string, Fields>> }
    ? { [K in keyof S]: ReadObject<S[K]> }[keyof S]
    : ValueOf<F>

/**
 * Inside an object, fields that are required or have a default are present once it was read;
 * secrets only if they were sent.
 */
type ReadObject<N extends Fields> = {
  -readonly [K in keyof N as N[K] extends { readOnly: true } | { writeOnly: true }
    ? never
    : N[K] extends Certain
      ? K
      : never]: Inside<N[K]> | Empty<N[K]>
} & {
  -readonly [K in keyof N as N[K] extends { readOnly: true }
    ? never
    : N[K] extends { writeOnly: true }
      ? K
      : N[K] extends Certain
        ? never
        : K]?: Inside<N[K]> | Empty<N[K]>
}

type Certain = { required: true } | { default: unknown }

/** `null`, where a client may send it or means it by an empty value. */
type Empty<F extends Field> = F extends { nullable: true }
  ? null
  : F extends Certain
    ? never
    : F['type'] extends 'string' | 'text' | 'email' | 'url' | 'refs' | 'strings' | 'multichoice' | 'list'
      ? never
      : null
