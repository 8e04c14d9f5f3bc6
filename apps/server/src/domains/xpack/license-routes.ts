import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../kernel/errors/app-error.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { plainFields } from '../../kernel/resource/plain-fields.ts'
import type { LicenseStore } from './license.ts'
import { EDITIONS } from './license-document.ts'

/** A license has some hundred bytes. */
const MAX_BYTES = 16 * 1024

/**
 * GET …/license/detail (B7.07) and POST …/license/import (B7.08), without a slash at the
 * end (docs/rules/xpack.md#license).
 */
export function registerLicenseCalls({ app }: Kernel, license: LicenseStore): void {
  app.route({
    method: 'GET',
    url: '/api/v1/xpack/license/detail',
    config: {
      access: ['super_admin'],
      summary: 'License',
      answers: {
        fields: plainFields({
          subscription_id: 'uuid',
          corporation: 'string',
          date_expired: 'string',
          asset_count: 'string',
          edition: 'string',
        }),
      },
    },
    handler: async ({ call }) => {
      const { edition, ...facts } = license.current() ?? {
        subscription_id: '',
        corporation: '',
        date_expired: null,
        asset_count: null,
        edition: 'community',
      }
      return { ...facts, edition: translate(call.language, EDITIONS[edition]) }
    },
  })
  // In a scope of its own, so that no other route takes multipart bodies.
  app.register(async (scope) => {
    await scope.register(multipart, { limits: { files: 1, fields: 10, fileSize: MAX_BYTES } })
    scope.route({
      method: 'POST',
      url: '/api/v1/xpack/license/import',
      config: { access: ['super_admin'], summary: 'Import a license' },
      handler: async (request) => {
        const installed = await license.install(await uploaded(request), request.call)
        const text = installed ? 'The license was imported' : 'This is not a valid license for this installation'
        return { status: installed, msg: translate(request.call.language, text) }
      },
    })
  })
}

async function uploaded(request: FastifyRequest): Promise<string> {
  const file = request.isMultipart() ? await request.file() : undefined
  if (file?.fieldname !== 'file') throw invalid({ file: 'This field is required.' })
  // Anything larger is no license.
  const bytes = await file.toBuffer().catch(() => Buffer.alloc(0))
  return bytes.toString('latin1')
}
