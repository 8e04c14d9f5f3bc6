/** How a row is made and changed, as data (docs/console-pages.md). */
import type { ComponentType } from 'react'
import type { Query, Row } from '../../lib/api.ts'
import type { RemoteChoice, RemoteField } from './metadata.ts'

export type FormValues = Record<string, unknown>

export interface FormContext {
  mode: 'create' | 'update'
  /** The row being updated or cloned. */
  row: Row | undefined
  /** Query of the address. */
  query: URLSearchParams
}

/** The words of a widget's input for people who hear the form. */
export interface InputState {
  'aria-required'?: boolean | undefined
  'aria-invalid'?: boolean | undefined
  'aria-describedby'?: string | undefined
}

export interface WidgetProps<V = unknown> extends InputState {
  value?: V
  onChange?: (value: V) => void
  id?: string
  disabled?: boolean
  field: FormFieldView & RemoteField
  context: FormContext
}

/** One step of a choice in steps. */
export interface CascadeChoice {
  value: string
  /** Marked with `msg`. */
  label: string
  children?: readonly CascadeChoice[]
}

export interface FormFieldView {
  name: string
  /** A registered widget (docs/console-pages.md) or a component of the page. */
  // biome-ignore lint/suspicious/noExplicitAny: each widget narrows its own value
  widget?: string | ComponentType<WidgetProps<any>>
  /** In one line, the label first: for a button, with what it says about the state before it. */
  beside?: boolean
  /** Instead of the label of the metadata. Marked with `msg`. */
  label?: string
  /** Marked with `msg`; instead of the metadata's. */
  help?: string
  /** False hides the field; it is not sent then, unless `keepHidden`. */
  visibleWhen?: (values: FormValues, context: FormContext) => boolean
  disabledWhen?: (values: FormValues, context: FormContext) => boolean
  keepHidden?: boolean
  /** Instead of the metadata's default, on create. */
  initial?: unknown | ((context: FormContext) => unknown)
  /** Overrides the metadata. */
  required?: boolean | ((values: FormValues, context: FormContext) => boolean)
  /**
   * A text that says what is wrong with the value, already translated; undefined when it is right.
   */
  check?: (value: unknown, values: FormValues) => string | undefined
  /**
   * Fields of the same form whose values `check` looks at as well: with them it is looked at again.
   */
  checkedWith?: readonly string[]
  /** Replaces choices of the metadata. */
  choices?: readonly RemoteChoice[]
  /** What choosing one of a few means, by its value: a line under each. Marked with `msg`. */
  meanings?: Readonly<Record<string, string>>
  /**
   * What of the field follows from other values. A value that new choices do not have, or of
   * another list, is taken back.
   */
  depends?: (
    values: FormValues,
    context: FormContext,
  ) => Partial<Pick<FormFieldView, 'choices' | 'from' | 'label' | 'help' | 'placeholder'>>
  /** After the person changed it: values to set on other fields. */
  onChange?: (value: unknown, values: FormValues) => FormValues | undefined
  /** For reference widgets: the list to choose from and how a row is named. */
  from?: { path: string; display: string | ((row: Row) => string); query?: Query }
  placeholder?: string
  /**
   * Shown when the pointer or the keyboard rests on the mark beside the label. Marked with `msg`.
   */
  tip?: string
  /** After the value of a text or number, `hours`. Marked with `msg`. */
  unit?: string
  /** Steps of a cascader. */
  tree?: readonly CascadeChoice[]
  /** Days from now that a date offers; negative ones lie in the past. */
  suggest?: readonly number[]
  /**
   * Media types that an image upload takes, with commas between, its greatest size in bytes, and
   * the width and height it should have.
   */
  accept?: string
  maxBytes?: number
  pixels?: readonly [width: number, height: number]
  /**
   * In an object, or each item of a list, how fields inside of it are edited, by their names; what
   * they are the server says.
   */
  inside?: Readonly<
    Record<
      string,
      Pick<FormFieldView, 'from' | 'placeholder' | 'help' | 'widget' | 'visibleWhen'> & { required?: true }
    >
  >
  /** In a list: the name of one of its items. Marked with `msg`. */
  item?: string
  /** Where a link leads. */
  href?: string
  /** A field that the metadata does not have: it is shown all the same and belongs to `toBody`. */
  local?: Partial<RemoteField> & { type: string }
}

export interface FormGroup {
  /** Marked with `msg`. */
  title: string
  /** The purpose of the group, in one line, where its title does not say it. Marked with `msg`. */
  lead?: string
  /** Seldom wanted: folded while its fields hold nothing but what they begin with. */
  folded?: boolean
  fields: readonly (string | FormFieldView)[]
}

export interface FormView {
  groups: readonly FormGroup[]
  /** Values → body, after hidden and read-only fields were left out. */
  toBody?: (values: FormValues, context: FormContext) => unknown
  /** Row → values, before the form is filled. */
  fromRow?: (row: Row, context: FormContext) => FormValues
  /** Method of the update; PUT when absent. */
  method?: 'PUT' | 'PATCH'
  /** Where to go after saving; the list when absent. */
  next?: (saved: Row, context: FormContext) => string
  /**
   * On create, instead of one POST: stores the row with what else the form holds. It is called again
   * after something was refused.
   */
  store?: (body: FormValues, context: FormContext) => Promise<Row>
  /** On create; on unless false. */
  saveAndContinue?: boolean
  /** Query sent with create and update, for example the type that decides the body. */
  query?: (context: FormContext) => Query
}
