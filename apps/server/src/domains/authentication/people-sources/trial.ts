/** Trials of a further directory, provider or server as its form shows it, before it is saved. */
import { z } from 'zod'
import { lineOf } from '../../../kernel/doctor/line-of.ts'
import { AppError } from '../../../kernel/errors/app-error.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { ReadSettings } from './sources.ts'

interface Trial<S extends z.ZodRawShape> {
  /** The address of the resource; the call is `<path><call>/`. */
  path: string
  call: string
  summary: string
  takes: z.ZodObject<S>
  /** Answers the body of the call; throws for a fault. */
  run(form: z.output<z.ZodObject<S>>, language: Language): Promise<object>
}

/** A form of a further one; with `id`, a secret that was not typed is the stored one. */
export const trialForm = <S extends z.ZodRawShape>(shape: S) => z.object({ id: z.uuid().nullish(), ...shape })

/** Registers a trial, for system administrators. What goes wrong in it is 400, with the reason. */
export function registerTrial<S extends z.ZodRawShape>(
  kernel: Kernel,
  { path, call, summary, takes, run }: Trial<S>,
): void {
  kernel.app.route({
    method: 'POST',
    url: `${path}${call}/`,
    config: { access: ['super_admin'], summary, takes },
    handler: async ({ body, call: { language } }) => {
      const form = takes.parse(body ?? {})
      try {
        return await run(form, language)
      } catch (error) {
        if (error instanceof AppError) throw error
        const { message, cause } = error as Error
        const reason = lineOf(message === 'fetch failed' && cause instanceof Error ? cause : error)
        throw new AppError(400, 'provider_test', 'The provider cannot be used: {{reason}}', {
          values: { reason: translate(language, reason) },
          cause: error,
        })
      }
    },
  })
}

/** Values of a form over the settings, as those of a further provider are. */
export const readOver = (settings: ReadSettings, own: Partial<Record<string, unknown>>): ReadSettings => ({
  get: (name) => (name in own ? (own[name] as never) : settings.get(name)),
})
