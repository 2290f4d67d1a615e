<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>
<CPLEXSolution version="1.2">
 <header
   problemName="knapsack.mps"
   solutionName="incumbent"
   solutionIndex="-1"
   objectiveValue="-2629.1499999999992"
   solutionTypeValue="3"
   solutionTypeString="primal"
   solutionStatusValue="107"
   solutionStatusString="time limit exceeded"
   solutionMethodString="mip"
   primalFeasible="1"
   dualFeasible="0"
   MIPNodes="986"
   MIPIterations="8864"
   writeLevel="1"/>
 <quality
   epInt="1.0000000000000001e-05"
   epRHS="9.9999999999999995e-07"
   maxIntInfeas="0"
   maxPrimalInfeas="0"
   maxX="1"
   maxSlack="272"/>
 <linearConstraints>
  <constraint name="r(1)" index="0" slack="115"/>
  <constraint name="r(2)" index="1" slack="84"/>
  <constraint name="r(3)" index="2" slack="79"/>
  <constraint name="r(4)" index="3" slack="56"/>
  <constraint name="r(5)" index="4" slack="205"/>
  <constraint name="r(6)" index="5" slack="15"/>
  <constraint name="r(7)" index="6" slack="272"/>
  <constraint name="r(8)" index="7" slack="180"/>
  <constraint name="r(9)" index="8" slack="45"/>
  <constraint name="r(10)" index="9" slack="59"/>
  <constraint name="r(11)" index="10" slack="43"/>
  <constraint name="r(12)" index="11" slack="159"/>
  <constraint name="r(13)" index="12" slack="48"/>
  <constraint name="r(14)" index="13" slack="102"/>
  <constraint name="r(15)" index="14" slack="51"/>
  <constraint name="r(16)" index="15" slack="36"/>
  <constraint name="r(17)" index="16" slack="89"/>
  <constraint name="r(18)" index="17" slack="46"/>
  <constraint name="r(19)" index="18" slack="107"/>
  <constraint name="r(20)" index="19" slack="44"/>
  <constraint name="r(21)" index="20" slack="28"/>
  <constraint name="r(22)" index="21" slack="58"/>
  <constraint name="r(23)" index="22" slack="91"/>
  <constraint name="r(24)" index="23" slack="6"/>
  <constraint name="r(25)" index="24" slack="39"/>
  <constraint name="r(26)" index="25" slack="33"/>
  <constraint name="r(27)" index="26" slack="56"/>
  <constraint name="r(28)" index="27" slack="8"/>
  <constraint name="r(29)" index="28" slack="2"/>
  <constraint name="r(30)" index="29" slack="65"/>
  <constraint name="r(31)" index="30" slack="44"/>
  <constraint name="r(32)" index="31" slack="177"/>
  <constraint name="r(33)" index="32" slack="107"/>
  <constraint name="r(34)" index="33" slack="55"/>
  <constraint name="r(35)" index="34" slack="54"/>
  <constraint name="r(36)" index="35" slack="53"/>
  <constraint name="r(37)" index="36" slack="167"/>
  <constraint name="r(38)" index="37" slack="32"/>
  <constraint name="r(39)" index="38" slack="37"/>
  <constraint name="r(40)" index="39" slack="58"/>
 </linearConstraints>
 <variables>
  <variable name="v0(1)" index="0" value="1"/>
  <variable name="v0(2)" index="1" value="1"/>
  <variable name="v0(3)" index="2" value="1"/>
  <variable name="v0(4)" index="3" value="1"/>
  <variable name="v0(5)" index="4" value="1"/>
  <variable name="v0(6)" index="5" value="0"/>
  <variable name="v0(7)" index="6" value="0"/>
  <variable name="v0(8)" index="7" value="0"/>
  <variable name="v0(9)" index="8" value="0"/>
  <variable name="v0(10)" index="9" value="1"/>
  <variable name="v0(11)" index="10" value="1"/>
  <variable name="v0(12)" index="11" value="0"/>
  <variable name="v0(13)" index="12" value="0"/>
  <variable name="v0(14)" index="13" value="0"/>
  <variable name="v0(15)" index="14" value="1"/>
  <variable name="v0(16)" index="15" value="0"/>
  <variable name="v0(17)" index="16" value="0"/>
  <variable name="v0(18)" index="17" value="1"/>
  <variable name="v0(19)" index="18" value="0"/>
  <variable name="v0(20)" index="19" value="1"/>
  <variable name="v0(21)" index="20" value="1"/>
  <variable name="v0(22)" index="21" value="1"/>
  <variable name="v0(23)" index="22" value="1"/>
  <variable name="v0(24)" index="23" value="1"/>
  <variable name="v0(25)" index="24" value="1"/>
  <variable name="v0(26)" index="25" value="0"/>
  <variable name="v0(27)" index="26" value="1"/>
  <variable name="v0(28)" index="27" value="1"/>
  <variable name="v0(29)" index="28" value="1"/>
  <variable name="v0(30)" index="29" value="1"/>
  <variable name="v0(31)" index="30" value="1"/>
  <variable name="v0(32)" index="31" value="0"/>
  <variable name="v0(33)" index="32" value="1"/>
  <variable name="v0(34)" index="33" value="0"/>
  <variable name="v0(35)" index="34" value="1"/>
  <variable name="v0(36)" index="35" value="0"/>
  <variable name="v0(37)" index="36" value="1"/>
  <variable name="v0(38)" index="37" value="1"/>
  <variable name="v0(39)" index="38" value="0"/>
  <variable name="v0(40)" index="39" value="0"/>
  <variable name="v0(41)" index="40" value="0"/>
  <variable name="v0(42)" index="41" value="0"/>
  <variable name="v0(43)" index="42" value="1"/>
  <variable name="v0(44)" index="43" value="0"/>
  <variable name="v0(45)" index="44" value="0"/>
  <variable name="v0(46)" index="45" value="1"/>
  <variable name="v0(47)" index="46" value="1"/>
  <variable name="v0(48)" index="47" value="0"/>
  <variable name="v0(49)" index="48" value="1"/>
  <variable name="v0(50)" index="49" value="1"/>
  <variable name="v0(51)" index="50" value="1"/>
  <variable name="v0(52)" index="51" value="0"/>
  <variable name="v0(53)" index="52" value="1"/>
  <variable name="v0(54)" index="53" value="0"/>
  <variable name="v0(55)" index="54" value="0"/>
  <variable name="v0(56)" index="55" value="0"/>
  <variable name="v0(57)" index="56" value="0"/>
  <variable name="v0(58)" index="57" value="1"/>
  <variable name="v0(59)" index="58" value="0"/>
  <variable name="v0(60)" index="59" value="0"/>
  <variable name="v0(61)" index="60" value="1"/>
  <variable name="v0(62)" index="61" value="0"/>
  <variable name="v0(63)" index="62" value="0"/>
  <variable name="v0(64)" index="63" value="0"/>
  <variable name="v0(65)" index="64" value="0"/>
  <variable name="v0(66)" index="65" value="1"/>
  <variable name="v0(67)" index="66" value="0"/>
  <variable name="v0(68)" index="67" value="0"/>
  <variable name="v0(69)" index="68" value="1"/>
  <variable name="v0(70)" index="69" value="0"/>
  <variable name="v0(71)" index="70" value="1"/>
  <variable name="v0(72)" index="71" value="1"/>
  <variable name="v0(73)" index="72" value="0"/>
  <variable name="v0(74)" index="73" value="0"/>
  <variable name="v0(75)" index="74" value="0"/>
  <variable name="v0(76)" index="75" value="1"/>
  <variable name="v0(77)" index="76" value="1"/>
  <variable name="v0(78)" index="77" value="0"/>
  <variable name="v0(79)" index="78" value="0"/>
  <variable name="v0(80)" index="79" value="0"/>
 </variables>
</CPLEXSolution>
