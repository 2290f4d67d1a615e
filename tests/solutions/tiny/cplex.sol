<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="/tmp/sol/kt_cplex/model.mps"
   solutionName="incumbent"
   solutionIndex="-1"
   objectiveValue="-11.25"
   solutionTypeValue="3"
   solutionTypeString="primal"
   solutionStatusValue="101"
   solutionStatusString="integer optimal solution"
   solutionMethodString="mip"
   primalFeasible="1"
   dualFeasible="1"
   MIPNodes="0"
   MIPIterations="65"
   writeLevel="1"/>
 <quality
   epInt="1.0000000000000001e-05"
   epRHS="9.9999999999999995e-07"
   maxIntInfeas="0"
   maxPrimalInfeas="0"
   maxX="1"
   maxSlack="1.9500000000000002"/>
 <linearConstraints>
  <constraint name="one_leaf(1)" index="0" slack="0"/>
  <constraint name="one_leaf(2)" index="1" slack="0"/>
  <constraint name="one_leaf(3)" index="2" slack="0"/>
  <constraint name="one_leaf(4)" index="3" slack="0"/>
  <constraint name="one_leaf(5)" index="4" slack="0"/>
  <constraint name="one_leaf(6)" index="5" slack="0"/>
  <constraint name="one_leaf(7)" index="6" slack="0"/>
  <constraint name="one_leaf(8)" index="7" slack="0"/>
  <constraint name="one_leaf(9)" index="8" slack="0"/>
  <constraint name="one_leaf(10)" index="9" slack="0"/>
  <constraint name="flow(1,1)" index="10" slack="0"/>
  <constraint name="flow(2,1)" index="11" slack="0"/>
  <constraint name="flow(3,1)" index="12" slack="0"/>
  <constraint name="flow(4,1)" index="13" slack="0"/>
  <constraint name="flow(5,1)" index="14" slack="0"/>
  <constraint name="flow(6,1)" index="15" slack="0"/>
  <constraint name="flow(7,1)" index="16" slack="0"/>
  <constraint name="flow(8,1)" index="17" slack="0"/>
  <constraint name="flow(9,1)" index="18" slack="0"/>
  <constraint name="flow(10,1)" index="19" slack="0"/>
  <constraint name="one_label(2)" index="20" slack="0"/>
  <constraint name="one_label(3)" index="21" slack="0"/>
  <constraint name="hit_reach(1,2)" index="22" slack="0"/>
  <constraint name="hit_reach(1,3)" index="23" slack="0"/>
  <constraint name="hit_reach(2,2)" index="24" slack="0"/>
  <constraint name="hit_reach(2,3)" index="25" slack="0"/>
  <constraint name="hit_reach(3,2)" index="26" slack="1"/>
  <constraint name="hit_reach(3,3)" index="27" slack="0"/>
  <constraint name="hit_reach(4,2)" index="28" slack="0"/>
  <constraint name="hit_reach(4,3)" index="29" slack="0"/>
  <constraint name="hit_reach(5,2)" index="30" slack="0"/>
  <constraint name="hit_reach(5,3)" index="31" slack="0"/>
  <constraint name="hit_reach(6,2)" index="32" slack="0"/>
  <constraint name="hit_reach(6,3)" index="33" slack="0"/>
  <constraint name="hit_reach(7,2)" index="34" slack="0"/>
  <constraint name="hit_reach(7,3)" index="35" slack="0"/>
  <constraint name="hit_reach(8,2)" index="36" slack="0"/>
  <constraint name="hit_reach(8,3)" index="37" slack="0"/>
  <constraint name="hit_reach(9,2)" index="38" slack="0"/>
  <constraint name="hit_reach(9,3)" index="39" slack="0"/>
  <constraint name="hit_reach(10,2)" index="40" slack="0"/>
  <constraint name="hit_reach(10,3)" index="41" slack="0"/>
  <constraint name="hit_label(1,2)" index="42" slack="0"/>
  <constraint name="hit_label(1,3)" index="43" slack="0"/>
  <constraint name="hit_label(2,2)" index="44" slack="0"/>
  <constraint name="hit_label(2,3)" index="45" slack="0"/>
  <constraint name="hit_label(3,2)" index="46" slack="0"/>
  <constraint name="hit_label(3,3)" index="47" slack="1"/>
  <constraint name="hit_label(4,2)" index="48" slack="0"/>
  <constraint name="hit_label(4,3)" index="49" slack="0"/>
  <constraint name="hit_label(5,2)" index="50" slack="0"/>
  <constraint name="hit_label(5,3)" index="51" slack="0"/>
  <constraint name="hit_label(6,2)" index="52" slack="0"/>
  <constraint name="hit_label(6,3)" index="53" slack="0"/>
  <constraint name="hit_label(7,2)" index="54" slack="0"/>
  <constraint name="hit_label(7,3)" index="55" slack="0"/>
  <constraint name="hit_label(8,2)" index="56" slack="0"/>
  <constraint name="hit_label(8,3)" index="57" slack="0"/>
  <constraint name="hit_label(9,2)" index="58" slack="0"/>
  <constraint name="hit_label(9,3)" index="59" slack="0"/>
  <constraint name="hit_label(10,2)" index="60" slack="0"/>
  <constraint name="hit_label(10,3)" index="61" slack="0"/>
  <constraint name="no_split(1,1)" index="62" slack="0"/>
  <constraint name="no_split(2,1)" index="63" slack="0"/>
  <constraint name="no_split(3,1)" index="64" slack="1"/>
  <constraint name="no_split(4,1)" index="65" slack="0"/>
  <constraint name="no_split(5,1)" index="66" slack="1"/>
  <constraint name="no_split(6,1)" index="67" slack="1"/>
  <constraint name="no_split(7,1)" index="68" slack="1"/>
  <constraint name="no_split(8,1)" index="69" slack="1"/>
  <constraint name="no_split(9,1)" index="70" slack="1"/>
  <constraint name="no_split(10,1)" index="71" slack="0"/>
  <constraint name="budget" index="72" slack="0"/>
  <constraint name="unit_norm(1)" index="73" slack="0"/>
  <constraint name="abs_above(1,1)" index="74" slack="0"/>
  <constraint name="abs_above(2,1)" index="75" slack="-1.5999999999999996"/>
  <constraint name="abs_below(1,1)" index="76" slack="-0.40000000000000036"/>
  <constraint name="abs_below(2,1)" index="77" slack="0"/>
  <constraint name="go_left(1,1)" index="78" slack="0.85000000000000009"/>
  <constraint name="go_left(2,1)" index="79" slack="1.05"/>
  <constraint name="go_left(3,1)" index="80" slack="0.25"/>
  <constraint name="go_left(4,1)" index="81" slack="1.6499999999999999"/>
  <constraint name="go_left(5,1)" index="82" slack="0.34999999999999987"/>
  <constraint name="go_left(6,1)" index="83" slack="0.049999999999999822"/>
  <constraint name="go_left(7,1)" index="84" slack="0.49999999999999956"/>
  <constraint name="go_left(8,1)" index="85" slack="0.39999999999999991"/>
  <constraint name="go_left(9,1)" index="86" slack="0"/>
  <constraint name="go_left(10,1)" index="87" slack="1.6499999999999999"/>
  <constraint name="go_right(1,1)" index="88" slack="-0.049999999999999822"/>
  <constraint name="go_right(2,1)" index="89" slack="-0.099999999999999867"/>
  <constraint name="go_right(3,1)" index="90" slack="-1.25"/>
  <constraint name="go_right(4,1)" index="91" slack="0"/>
  <constraint name="go_right(5,1)" index="92" slack="-1.4000000000000001"/>
  <constraint name="go_right(6,1)" index="93" slack="-1.9500000000000002"/>
  <constraint name="go_right(7,1)" index="94" slack="-1.5000000000000002"/>
  <constraint name="go_right(8,1)" index="95" slack="-1.3500000000000001"/>
  <constraint name="go_right(9,1)" index="96" slack="-1.25"/>
  <constraint name="go_right(10,1)" index="97" slack="-0.25"/>
 </linearConstraints>
 <variables>
  <variable name="active(1)" index="0" value="1"/>
  <variable name="reach(1,1)" index="1" value="1"/>
  <variable name="reach(1,2)" index="2" value="0"/>
  <variable name="reach(1,3)" index="3" value="1"/>
  <variable name="reach(2,1)" index="4" value="1"/>
  <variable name="reach(2,2)" index="5" value="0"/>
  <variable name="reach(2,3)" index="6" value="1"/>
  <variable name="reach(3,1)" index="7" value="1"/>
  <variable name="reach(3,2)" index="8" value="1"/>
  <variable name="reach(3,3)" index="9" value="0"/>
  <variable name="reach(4,1)" index="10" value="1"/>
  <variable name="reach(4,2)" index="11" value="0"/>
  <variable name="reach(4,3)" index="12" value="1"/>
  <variable name="reach(5,1)" index="13" value="1"/>
  <variable name="reach(5,2)" index="14" value="1"/>
  <variable name="reach(5,3)" index="15" value="0"/>
  <variable name="reach(6,1)" index="16" value="1"/>
  <variable name="reach(6,2)" index="17" value="1"/>
  <variable name="reach(6,3)" index="18" value="-0"/>
  <variable name="reach(7,1)" index="19" value="1"/>
  <variable name="reach(7,2)" index="20" value="1"/>
  <variable name="reach(7,3)" index="21" value="0"/>
  <variable name="reach(8,1)" index="22" value="1"/>
  <variable name="reach(8,2)" index="23" value="1"/>
  <variable name="reach(8,3)" index="24" value="0"/>
  <variable name="reach(9,1)" index="25" value="1"/>
  <variable name="reach(9,2)" index="26" value="1"/>
  <variable name="reach(9,3)" index="27" value="0"/>
  <variable name="reach(10,1)" index="28" value="1"/>
  <variable name="reach(10,2)" index="29" value="0"/>
  <variable name="reach(10,3)" index="30" value="1"/>
  <variable name="label(2,1)" index="31" value="0"/>
  <variable name="label(2,2)" index="32" value="1"/>
  <variable name="label(3,1)" index="33" value="1"/>
  <variable name="label(3,2)" index="34" value="-0"/>
  <variable name="hit(1,2)" index="35" value="0"/>
  <variable name="hit(1,3)" index="36" value="1"/>
  <variable name="hit(2,2)" index="37" value="0"/>
  <variable name="hit(2,3)" index="38" value="1"/>
  <variable name="hit(3,2)" index="39" value="-0"/>
  <variable name="hit(3,3)" index="40" value="-0"/>
  <variable name="hit(4,2)" index="41" value="0"/>
  <variable name="hit(4,3)" index="42" value="1"/>
  <variable name="hit(5,2)" index="43" value="1"/>
  <variable name="hit(5,3)" index="44" value="0"/>
  <variable name="hit(6,2)" index="45" value="1"/>
  <variable name="hit(6,3)" index="46" value="0"/>
  <variable name="hit(7,2)" index="47" value="1"/>
  <variable name="hit(7,3)" index="48" value="0"/>
  <variable name="hit(8,2)" index="49" value="1"/>
  <variable name="hit(8,3)" index="50" value="0"/>
  <variable name="hit(9,2)" index="51" value="1"/>
  <variable name="hit(9,3)" index="52" value="0"/>
  <variable name="hit(10,2)" index="53" value="0"/>
  <variable name="hit(10,3)" index="54" value="1"/>
  <variable name="coef(1,1)" index="55" value="0.20000000000000018"/>
  <variable name="coef(1,2)" index="56" value="-0.79999999999999982"/>
  <variable name="bias(1)" index="57" value="-0.14999999999999991"/>
  <variable name="abs(1,1)" index="58" value="0.20000000000000018"/>
  <variable name="abs(2,1)" index="59" value="0.79999999999999982"/>
  <variable name="objective_constant" index="60" value="1"/>
 </variables>
</CPLEXSolution>
