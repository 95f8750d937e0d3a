;; Hamming distances between codes of 256 bits and one such code. `scripts/gen/hamming.ts` makes the program of it.
(module
  (memory (export "memory") 1)
  ;; codes: address of the first of `count` codes, one behind the other; query: address of the other code;
  ;; out: where the distances go, 16 bits each. All addresses are multiples of 16, but `out` of 2.
  (func (export "measure") (param $codes i32) (param $count i32) (param $query i32) (param $out i32)
    (local $low v128) (local $high v128) (local $bits v128) (local $end i32)
    (local.set $low (v128.load (local.get $query)))
    (local.set $high (v128.load offset=16 (local.get $query)))
    (local.set $end (i32.add (local.get $out) (i32.shl (local.get $count) (i32.const 1))))
    (block $done
      (loop $next
        (br_if $done (i32.ge_u (local.get $out) (local.get $end)))
        (local.set $bits (i8x16.add
          (i8x16.popcnt (v128.xor (v128.load (local.get $codes)) (local.get $low)))
          (i8x16.popcnt (v128.xor (v128.load offset=16 (local.get $codes)) (local.get $high)))))
        (local.set $bits (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (local.get $bits))))
        (i32.store16 (local.get $out) (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $bits)) (i32x4.extract_lane 1 (local.get $bits)))
          (i32.add (i32x4.extract_lane 2 (local.get $bits)) (i32x4.extract_lane 3 (local.get $bits)))))
        (local.set $codes (i32.add (local.get $codes) (i32.const 32)))
        (local.set $out (i32.add (local.get $out) (i32.const 2)))
        (br $next)))))
