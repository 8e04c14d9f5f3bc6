/**
 * Passwords with the hashes that Django 3.2.25 of Debian 12 made of them by `make_password`, with its
 * usual costs.
 */
export const BY_DJANGO: readonly (readonly [password: string, text: string])[] = [
  ['Plain-person-1', 'pbkdf2_sha256$260000$D3LCTnVEHhadRHQYSJESMT$GyLdIazCGQmDIq8JIOb+0QqpI94TpWINzxNlIeZ2pGo='],
  ['密码 Grüße 1', 'pbkdf2_sha256$260000$ssNANrsizcXN5XmhqzDJ3L$UGHjl9cl9zoy6TRCtxJ2O7oCP1bnR2ld4mrp6nLiKOQ='],
  ['Plain-person-1', 'pbkdf2_sha1$260000$FLVyGrk9rIFbnL9UerYzyE$ac6TuOJxTfnhcM1g/Nn2FPd6kmU='],
  ['Plain-person-1', 'argon2$argon2id$v=19$m=102400,t=2,p=8$Y2VlaEE2QkpGVXhRVDgxalUxOVE1RA$yvZBMp0kX17dNwBtf3YsQQ'],
  ['密码 Grüße 1', 'argon2$argon2id$v=19$m=102400,t=2,p=8$RXRQTHVNbkxFU0tENGROS0laUkdkcA$Vb0pNkWSYCqnfahwUQJLkw'],
  ['Plain-person-1', 'bcrypt_sha256$$2b$12$mVukHbaHzfbob6Fy2tNkseUp1TkktRaH/EWkMnalee5TNoM9hgWD6'],
]
