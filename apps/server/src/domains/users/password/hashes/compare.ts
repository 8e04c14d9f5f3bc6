import { createHash, pbkdf2Sync, timingSafeEqual } from 'node:crypto'
import { verifySync } from '@node-rs/argon2'
import { compareSync } from 'bcryptjs'
import type { HashWay } from './stored-hash.ts'

/** Whether a password has this hash. Takes up to a second without pause: for threads alone. */
export function hasHash(password: string, way: HashWay): boolean {
  switch (way.algorithm) {
    case 'pbkdf2': {
      const sum = Buffer.from(way.sum, 'base64')
      return timingSafeEqual(pbkdf2Sync(password, way.salt, way.iterations, sum.length, way.digest), sum)
    }
    case 'argon2':
      return verifySync(way.text, password)
    case 'bcrypt-of-sha256':
      // bcrypt would cut at 72 bytes and at a zero, so Django gives it hexadecimal digits.
      return compareSync(createHash('sha256').update(password).digest('hex'), way.text)
  }
}
