import { WIRE } from '@sallyport/contract/constants.ts'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiError, errorText, LOGIN_PATH, request, withQuery } from '../lib/api.ts'
import { readCookie } from '../lib/cookies.ts'
import { sealPassword } from './password/seal-password.ts'
import { extraValues, type LoginForm } from './second-factor/ExtraField.tsx'

/** The body of a refused sign-in: `msg` is for people, `error` is a code. */
interface Refused {
  error?: string
  msg?: string
  field?: string
  url?: string
  form?: LoginForm
}

const CAPTCHA = '/core/auth/captcha/refresh/'

/** The input of a person on the sign-in page. */
export interface Credentials {
  username: string
  password: string
  /** The value of the block beside name and password. */
  extra: string
  /** Whether the browser stays signed in when it closes. */
  stay: boolean
}

/**
 * State of the sign-in form: what it asks for, what was typed, and sending it. The server replies
 * with the next address, or with why it refused and what else it needs.
 */
export function useSignIn() {
  const [typed, setTyped] = useState<Credentials>({ username: '', password: '', extra: '', stay: false })
  const [form, setForm] = useState<LoginForm>({ extra: '' })
  const [refusal, setRefusal] = useState<{ text: string; field?: string | undefined }>()
  const [isBusy, setBusy] = useState(false)
  const type = (change: Partial<Credentials>) => setTyped((now) => ({ ...now, ...change }))

  // Without an answer the page asks for name and password alone; a refusal says what else is
  // needed.
  useEffect(() => {
    request<LoginForm & { refusal?: string }>('GET', LOGIN_PATH, { quiet: true }).then(
      ({ refusal: text, ...asked }) => {
        setForm(asked)
        // Why a provider's sign-in, which led here, was refused.
        if (text) setRefusal({ text })
      },
      () => {},
    )
  }, [])

  const refuse = (error: unknown) => {
    const body = refusedBody(error)
    // Too simple, expired or given by somebody else: the password was right, and a new one is due.
    if (body?.error?.startsWith('passwd_') && body.url) return location.assign(withQuery(body.url, { why: body.error }))
    setBusy(false)
    // The password was not looked at: nobody types it twice for a sum.
    type(body?.field === 'captcha' ? { extra: '' } : { extra: '', password: '' })
    if (body?.form) setForm(body.form)
    setRefusal({ text: body?.msg ?? errorText(error), field: body?.field })
    // Once the box is there.
    setTimeout(() => document.getElementById(body?.field === 'captcha' ? 'extra' : 'password')?.focus())
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setRefusal(undefined)
    try {
      const body = await signInBody(typed, form)
      const { next } = await request<{ next: string }>('POST', LOGIN_PATH, { body, quiet: true })
      location.assign(next)
    } catch (error) {
      refuse(error)
    }
  }
  const refreshCaptcha = async () => {
    const captcha = await request<NonNullable<LoginForm['captcha']>>('GET', CAPTCHA, { quiet: true })
    setForm((now) => ({ ...now, extra: 'captcha', captcha }))
    type({ extra: '' })
    document.getElementById('extra')?.focus()
  }
  return { typed, type, form, setForm, refusal, setRefusal, isBusy, submit, refreshCaptcha }
}

async function signInBody({ username, password, extra, stay }: Credentials, form: LoginForm): Promise<URLSearchParams> {
  return new URLSearchParams({
    username: username.trim(),
    password: await sealPassword(password),
    csrfmiddlewaretoken: readCookie(WIRE.csrfCookie) ?? '',
    next: new URLSearchParams(location.search).get('next') ?? '',
    ...(stay ? { auto_login: 'on' } : {}),
    ...extraValues(form, extra),
  })
}

function refusedBody(error: unknown): Refused | undefined {
  return error instanceof ApiError && typeof error.body === 'object'
    ? ((error.body as Refused | null) ?? undefined)
    : undefined
}
